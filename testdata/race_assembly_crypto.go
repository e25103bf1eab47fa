// Sums, ciphers and large numbers, whose loops are assembly, touch what another goroutine
// writes or reads.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"fmt"
	"math/big"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	var buffers [9][]byte
	for i := range buffers {
		buffers[i] = make([]byte, 256)
	}
	x := new(big.Int).Lsh(big.NewInt(1), 640)
	y := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 640), big.NewInt(7))
	words := y.Bits()
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		panic(err)
	}
	sealing, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	nonce := make([]byte, sealing.NonceSize())
	wg.Go(func() {
		buffers[0][9] = 1      // want race(sha256: write)
		buffers[1][9] = 1      // want race(sha512: write)
		buffers[2][99] = 1     // want race(xor: write)
		buffers[3][99]++       // want race(xor to: write)
		buffers[4][9] = 1      // want race(aes: write)
		buffers[5][99] = 1     // want race(ctr: write)
		buffers[6][99] = 1     // want race(gcm: write)
		buffers[7][9] = 1      // want race(gcm data: write)
		buffers[8][9] = 1      // want race(key: write)
		words[3] = big.Word(5) // want race(add: write)
	})
	sum := int(sha256.Sum256(buffers[0])[0])                                           // want race(sha256: read)
	sum += int(sha512.Sum512(buffers[1])[0])                                           // want race(sha512: read)
	sum += subtle.XORBytes(make([]byte, 256), buffers[2], make([]byte, 256))           // want race(xor: read)
	sum += subtle.XORBytes(buffers[3], make([]byte, 256), make([]byte, 256))           // want race(xor to: write)
	block.Encrypt(make([]byte, 16), buffers[4])                                        // want race(aes: read)
	cipher.NewCTR(block, make([]byte, 16)).XORKeyStream(make([]byte, 256), buffers[5]) // want race(ctr: read)
	sum += len(sealing.Seal(nil, nonce, buffers[6], buffers[7]))                       // want race(gcm: read) race(gcm data: read)
	if _, err := aes.NewCipher(buffers[8][:32]); err != nil {                          // want race(key: read)
		panic(err)
	}
	sum += x.Add(x, y).BitLen() // want race(add: read)
	wg.Wait()
	fmt.Println(sum > 0)
}
