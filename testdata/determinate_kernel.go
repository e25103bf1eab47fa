// The kernel touches no more of a program's memory than it is given, and writes no more than
// has arrived.
package main

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
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
	sender.Write([]byte("12345678"))
	memory := make([]byte, 512)
	sent := []byte("read by two")
	var stats [2]syscall.Stat_t
	var wg sync.WaitGroup
	var first, second []byte
	wg.Go(func() {
		memory[8] = 1 // behind the eight that arrive
		memory[100] = 1
		first = append(first, sent...)
		rand.Read(memory[64:96])
		syscall.Stat("/", &stats[0])
		syscall.Stat("", &stats[1]) // fails, and writes nothing
		memory[300] = 1
	})
	n, _, err := listener.ReadFrom(memory[:64])
	syscall.Stat("/", &stats[1])
	cwd, err2 := syscall.Getcwd(memory[128:256])
	sender.Write(sent)
	second = append(second, sent...)
	listener.WriteTo(memory[256:300], sender.LocalAddr())
	wg.Wait()
	dir, err3 := os.Getwd()
	fmt.Println(n, err, cwd == len(dir)+1, err2, err3, string(first) == string(second))
}
