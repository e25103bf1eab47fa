// The arguments of a go statement are evaluated by the parent, what they
// point to is not.
package main

func main() {
	x, ended := 1, make(chan bool)
	go func(v int, p *int) {
		use(v)
		use(*p) // want race(x: read)
		close(ended)
	}(x, &x)
	x = 2 // want race(x: write)
	<-ended
}

//go:noinline
func use(int) {}
