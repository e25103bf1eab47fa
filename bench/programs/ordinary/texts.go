package main

import (
	"bytes"
	"fmt"
	"go/format"
	"regexp"
	"strconv"
	"strings"
)

func formatNumbers(n int) int {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%s;", i, "x")
	}
	return b.Len()
}

func match(n int) int {
	return len(regexp.MustCompile(`(\w+) (fox|dog) (\w+)`).FindAllSubmatchIndex(prose(n), -1))
}

func countWords(n int) int {
	counts := map[string]int{}
	for i, word := range bytes.Fields(prose(n)) {
		counts[string(word)+strconv.Itoa(i%5000)]++
	}
	return len(counts)
}

func rewrite(n int) (length int) {
	text := string(prose(n))
	for _, word := range strings.Fields(text) {
		if strings.Contains(word, "o") {
			length += len(strings.ToUpper(word))
		}
	}
	return length + len(strings.ReplaceAll(text, "fox", "cat"))
}

// formatSource parses and prints a source of n functions.
func formatSource(n int) int {
	var b bytes.Buffer
	b.WriteString("package p\n")
	for i := range n {
		fmt.Fprintf(&b, "// f%d adds.\nfunc f%d(a, b int) (int,error) { if a>b { return a*(b+%d), nil }; for i:=range b { a+=i }; return a, nil }\n", i, i, i)
	}
	text, err := format.Source(b.Bytes())
	must(err)
	return len(text)
}
