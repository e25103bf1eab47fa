// Command fixed blurs a PNG image, one task per band of rows.
//
// The fix: the loop over the rows of a band stops before its upper bound. In
// the racy twin it includes it, and neighbouring bands share a row.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"log"
	"math/rand"
	"sync"
)

func main() {
	size := flag.Int("size", 512, "width and height of the image")
	bands := flag.Int("bands", 8, "how many tasks")
	flag.Parse()

	var file bytes.Buffer
	if err := png.Encode(&file, picture(*size)); err != nil {
		log.Fatal(err)
	}
	decoded, err := png.Decode(&file)
	if err != nil {
		log.Fatal(err)
	}
	src := decoded.(*image.Gray)
	dst := image.NewGray(src.Rect)
	blur(dst, src, *bands)
	if err := png.Encode(&file, dst); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("blurred PNG: %d bytes, checksum %08x\n", file.Len(), crc32.ChecksumIEEE(file.Bytes()))
}

// picture draws a gradient with noise.
func picture(size int) *image.Gray {
	rng := rand.New(rand.NewSource(1))
	img := image.NewGray(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.Pix[y*img.Stride+x] = uint8((x+y)*100/size + rng.Intn(64))
		}
	}
	return img
}

// blur stores in every pixel of dst the mean of its neighbourhood in src.
func blur(dst, src *image.Gray, bands int) {
	var wg sync.WaitGroup
	height := src.Rect.Dy()
	for b := range bands {
		lo, hi := b*height/bands, (b+1)*height/bands
		wg.Go(func() {
			for y := lo; y < hi; y++ {
				blurRow(dst, src, y)
			}
		})
	}
	wg.Wait()
}

func blurRow(dst, src *image.Gray, y int) {
	for x := range src.Rect.Dx() {
		sum, n := 0, 0
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if p := image.Pt(x+dx, y+dy); p.In(src.Rect) {
					sum += int(src.Pix[src.PixOffset(p.X, p.Y)])
					n++
				}
			}
		}
		dst.Pix[y*dst.Stride+x] = uint8(sum / n)
	}
}
