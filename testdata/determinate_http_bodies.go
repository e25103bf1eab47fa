// Requests one after the other over one connection, with long bodies both ways: what
// package net/http keeps for the connection is its own business.
package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

func main() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		check(err)
		w.Header()["X-Length"] = []string{fmt.Sprint(len(body))}
		_, err = w.Write(body)
		check(err)
		check(http.NewResponseController(w).Flush())
		_, err = io.WriteString(w, strings.Repeat("more ", 2000))
		check(err)
	}))
	defer server.Close()
	for i := range 4 {
		answer, err := http.Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("body ", 2000*i)))
		check(err)
		body, err := io.ReadAll(answer.Body)
		check(err)
		check(answer.Body.Close())
		fmt.Println(len(body), answer.Header["X-Length"])
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
