// Whoever has received the pointer owns what it points to.
package main

import "fmt"

type packet struct{ hops, payload int }

func main() {
	first, second := make(chan *packet, 1), make(chan *packet, 1)
	go func() {
		p := <-first
		p.hops++
		p.payload *= 3
		second <- p
	}()
	first <- &packet{payload: 5}
	p := <-second
	p.hops++
	fmt.Println(*p)
}
