// The sender goes on writing to what it has given away.
package main

type packet struct{ hops, payload int }

func main() {
	ch, ended := make(chan *packet, 1), make(chan bool)
	go func() {
		p := <-ch
		p.hops = 1 // want race(hops: write)
		close(ended)
	}()
	p := &packet{payload: 5}
	ch <- p
	p.hops = 2 // want race(hops: write)
	<-ended
}
