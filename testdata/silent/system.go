// Commands, pipes, signals, connections and timers.
package main

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(command)
		wg.Go(pipe)
		wg.Go(timers)
	}
	wg.Go(interrupt)
	wg.Wait()
	echo()
}

func command() {
	cmd := exec.Command("cat")
	cmd.Stdin = strings.NewReader("text")
	out, err := cmd.CombinedOutput()
	check(err)
	if string(out) != "text" {
		panic("wrong output")
	}
}

func pipe() {
	r, w, err := os.Pipe()
	check(err)
	var wg sync.WaitGroup
	wg.Go(func() {
		io.WriteString(w, "text")
		check(w.Close())
	})
	_, err = io.ReadAll(r)
	check(err)
	wg.Wait()
	check(r.Close())
}

func timers() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	<-time.After(time.Millisecond)
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
	ticker := time.NewTicker(time.Millisecond)
	<-ticker.C
	ticker.Stop()
}

func interrupt() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	check(syscall.Kill(os.Getpid(), syscall.SIGUSR1))
	<-c
	signal.Stop(c)
}

func echo() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 4 {
			conn, err := l.Accept()
			check(err)
			wg.Go(func() {
				io.Copy(conn, conn)
				conn.Close()
			})
		}
	})
	for range 4 {
		wg.Go(func() {
			conn, err := net.Dial("tcp", l.Addr().String())
			check(err)
			io.WriteString(conn, "text")
			conn.(*net.TCPConn).CloseWrite()
			_, err = io.ReadAll(conn)
			check(err)
			conn.Close()
		})
	}
	wg.Wait()
	check(l.Close())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
