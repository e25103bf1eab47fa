// What is read from a socket or a connection is what the other end writes, not what is written to it
// here.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
)

// pair is two ends of a connection, as files.
func pair() (here, there *os.File) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		panic(err)
	}
	return os.NewFile(uintptr(fds[0]), "here"), os.NewFile(uintptr(fds[1]), "there")
}

// echo sends back n bytes.
func echo(there io.ReadWriter, n int) {
	text := make([]byte, n)
	io.ReadFull(there, text)
	there.Write(text)
}

func main() {
	here, there := pair()
	one, other := pair()
	conn, err := net.FileConn(one)
	if err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	var fromFile, fromConn [4]byte
	wg.Go(func() { echo(there, 4) })
	wg.Go(func() { echo(other, 4) })
	wg.Go(func() { here.Write([]byte("file")) })
	wg.Go(func() { io.ReadFull(here, fromFile[:]) })
	wg.Go(func() { conn.Write([]byte("conn")) })
	wg.Go(func() { io.ReadFull(conn, fromConn[:]) })
	wg.Wait()
	fmt.Println(string(fromFile[:]), string(fromConn[:]))
}
