// The requests come over one connection, which one goroutine serves. Which connection
// a request comes over is the client's choice: another schedule, of two clients, may let
// the handler run twice at a time.
package main

import (
	"io"
	"net/http"
	"net/http/httptest"
)

func main() {
	count := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count++ // want reason(luck)
		io.WriteString(w, r.URL.Path)
	}))
	defer server.Close()
	for range 2 {
		answer, err := http.Get(server.URL)
		check(err)
		_, err = io.ReadAll(answer.Body)
		check(err)
		check(answer.Body.Close())
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
