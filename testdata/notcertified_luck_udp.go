// A datagram that arrives orders what was before it was sent, in a run in which it arrives.
package main

import (
	"fmt"
	"net"
)

func main() {
	listener, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic(err)
	}
	sender, err := net.DialUDP("udp", nil, listener.LocalAddr().(*net.UDPAddr))
	if err != nil {
		panic(err)
	}
	x := 0
	go func() {
		x = 1 // want reason(luck)
		sender.Write([]byte("x is set"))
	}()
	n, _, err := listener.ReadFrom(make([]byte, 64))
	fmt.Println(n, err, x) // want reason(luck)
}
