// Sums, ciphers and large numbers touch what they are given and not what lies beside it.
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
	input, output := make([]byte, 256), make([]byte, 256)
	numbers := make([]*big.Int, 8)
	for i := range numbers {
		numbers[i] = new(big.Int).Lsh(big.NewInt(int64(i)+1), 640)
	}
	factor := new(big.Int).Lsh(big.NewInt(3), 300)
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		panic(err)
	}
	sealing, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			// All read one input and one factor; each writes its part of the output and its number.
			part := output[32*i : 32*i+32]
			sum, long := sha256.Sum256(input), sha512.Sum512(input[i:])
			subtle.XORBytes(part, sum[:], long[:32])
			block.Encrypt(part[:16], part[16:])
			cipher.NewCTR(block, input[:16]).XORKeyStream(part, input[:32])
			sealed := sealing.Seal(part[:0], input[:12], part[:16], input)
			if _, err := sealing.Open(nil, input[:12], sealed, input); err != nil {
				panic(err)
			}
			numbers[i].Mul(numbers[i], factor).Add(numbers[i], factor).Rsh(numbers[i], 7)
		})
	}
	wg.Wait()
	total := new(big.Int)
	for _, n := range numbers {
		total.Add(total, n)
	}
	fmt.Printf("%x %x\n", sha256.Sum256(output), total)
}
