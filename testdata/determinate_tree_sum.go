// A binary tree summed with one goroutine per left child.
package main

import "fmt"

type node struct {
	left, right *node
	value       int
}

func build(depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{left: build(depth - 1), right: build(depth - 1), value: depth}
}

func (n *node) sum() int {
	if n == nil {
		return 0
	}
	left := make(chan int)
	go func() { left <- n.left.sum() }()
	right := n.right.sum()
	return n.value + right + <-left
}

func main() {
	fmt.Println(build(7).sum())
}
