// What the kernel reads and writes of a program's memory races as what the program does itself.
package main

import (
	"crypto/rand"
	"fmt"
	"net"
	"sync"
	"syscall"
)

func main() {
	listener, sender := open()
	var buffers [7][]byte
	for i := range buffers {
		buffers[i] = make([]byte, 64)
	}
	var stat syscall.Stat_t
	sender.Write(make([]byte, 16))
	sender.Write(make([]byte, 16))
	var wg sync.WaitGroup
	wg.Go(func() {
		buffers[0][3] = 1 // want race(random: write)
		buffers[1][3] = 1 // want race(from: write)
		buffers[2][3] = 1 // want race(message: write)
		buffers[3][3] = 1 // want race(to: write)
		buffers[4][3] = 1 // want race(several: write)
		buffers[5][3] = 1 // want race(link: write)
		buffers[6][3] = 1 // want race(directory: write)
		stat.Size = 1     // want race(stat: write)
	})
	rand.Read(buffers[0])                                                       // want race(random: write)
	n, _, err := listener.ReadFromUDP(buffers[1])                               // want race(from: write)
	m, _, _, _, err2 := listener.ReadMsgUDP(buffers[2], nil)                    // want race(message: write)
	_, err3 := listener.WriteTo(buffers[3], sender.LocalAddr())                 // want race(to: read)
	_, err4 := (&net.Buffers{make([]byte, 8), buffers[4]}).WriteTo(connected()) // want race(several: read)
	_, err5 := syscall.Readlink("/proc/self/exe", buffers[5])                   // want race(link: write)
	_, err6 := syscall.Getcwd(buffers[6])                                       // want race(directory: write)
	err7 := syscall.Stat("/", &stat)                                            // want race(stat: write)
	wg.Wait()
	fmt.Println(n, m, err, err2, err3, err4, err5, err6, err7)
}

func open() (listener, sender *net.UDPConn) {
	listener, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic(err)
	}
	sender, err = net.DialUDP("udp", nil, listener.LocalAddr().(*net.UDPAddr))
	if err != nil {
		panic(err)
	}
	return listener, sender
}

func connected() net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	return c
}
