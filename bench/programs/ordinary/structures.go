package main

import (
	"container/heap"
	"math/big"
	"math/rand"
	"sort"
)

func randomNumbers(n int) []int {
	r := rand.New(rand.NewSource(1))
	all := make([]int, n)
	for i := range all {
		all[i] = r.Int()
	}
	return all
}

func sortNumbers(n int) int {
	all := randomNumbers(n)
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all[0]
}

type numbers []int

func (h numbers) Len() int           { return len(h) }
func (h numbers) Less(i, j int) bool { return h[i] < h[j] }
func (h numbers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *numbers) Push(x any)        { *h = append(*h, x.(int)) }
func (h *numbers) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

func throughHeap(n int) (mixed int) {
	h := &numbers{}
	for _, x := range randomNumbers(n) {
		heap.Push(h, x)
	}
	for h.Len() > 0 {
		mixed ^= heap.Pop(h).(int)
	}
	return mixed
}

type branch struct {
	left, right *branch
	key         int
}

func (b *branch) insert(key int) *branch {
	switch {
	case b == nil:
		return &branch{key: key}
	case key < b.key:
		b.left = b.left.insert(key)
	default:
		b.right = b.right.insert(key)
	}
	return b
}

func growTree(n int) int {
	var root *branch
	for _, x := range randomNumbers(n) {
		root = root.insert(x)
	}
	return root.key
}

func walkList(n int) (sum int) {
	type element struct {
		next   *element
		values [3]int
	}
	var head *element
	for i := range n {
		head = &element{head, [3]int{i, i, i}}
	}
	for range 5 {
		for e := head; e != nil; e = e.next {
			sum += e.values[1]
		}
	}
	return sum
}

func fillMap(n int) int {
	m := map[int]int{}
	for i := range n {
		m[i*7919%300007] += i
	}
	return len(m)
}

// multiply multiplies matrices of n times n.
func multiply(n int) int {
	var of [3][][]float64
	for k := range of {
		of[k] = make([][]float64, n)
		for i := range of[k] {
			of[k][i] = make([]float64, n)
			for j := range of[k][i] {
				of[k][i][j] = float64(i + k*j)
			}
		}
	}
	a, b, c := of[0], of[1], of[2]
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range n {
				sum += a[i][k] * b[k][j]
			}
			c[i][j] = sum
		}
	}
	return int(c[n/2][n/3])
}

// live plays twenty rounds of life on n times n fields.
func live(n int) (alive int) {
	now, next := make([][]bool, n), make([][]bool, n)
	for i := range n {
		now[i], next[i] = make([]bool, n), make([]bool, n)
		for j := range n {
			now[i][j] = i*j%3 == 0
		}
	}
	for range 20 {
		for i := range n {
			for j := range n {
				around := 0
				for di := n - 1; di <= n+1; di++ {
					for dj := n - 1; dj <= n+1; dj++ {
						if (di != n || dj != n) && now[(i+di)%n][(j+dj)%n] {
							around++
						}
					}
				}
				next[i][j] = around == 3 || around == 2 && now[i][j]
			}
		}
		now, next = next, now
	}
	for _, row := range now {
		for _, is := range row {
			if is {
				alive++
			}
		}
	}
	return alive
}

// addBig computes a number of Fibonacci's.
func addBig(n int) int {
	a, b := big.NewInt(1), big.NewInt(1)
	for range n {
		a.Add(a, b)
		a, b = b, a
	}
	return len(b.String())
}
