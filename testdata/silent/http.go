// A server, plain and with TLS, and eight clients.
package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

func main() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		check(err)
		w.Header().Set("X-Length", fmt.Sprint(len(body)))
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, body)
	})
	for _, start := range []func(http.Handler) *httptest.Server{httptest.NewServer, httptest.NewTLSServer} {
		server := start(handler)
		client := server.Client()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 4 {
					answer, err := client.Post(fmt.Sprint(server.URL, "/", i), "text/plain", strings.NewReader("body"))
					check(err)
					_, err = io.ReadAll(answer.Body)
					check(err)
					check(answer.Body.Close())
				}
			})
		}
		wg.Wait()
		server.Close()
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
