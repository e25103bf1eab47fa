// The standard library is used by many goroutines at once, each with values of its own.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"
	"time"
	"unique"
)

type record struct {
	Name  string
	Words []string
	Count map[string]int
	At    time.Time
	Next  *record
}

type point struct{ X, Y int }

func work(dir string, i int) {
	fmt.Println("goroutine") //detrace:commutative every line is the same
	r := record{Name: strconv.Itoa(i), Words: strings.Fields("a b c d"), Count: map[string]int{"x": i}, Next: &record{}}
	text, err := json.Marshal(r)
	check(err)
	var back record
	check(json.Unmarshal(text, &back))
	var sb strings.Builder
	fmt.Fprintf(&sb, "%v %+v %q %T", r.Words, r.Count, r.Name, r)
	fmt.Fprint(io.Discard, r, back)
	sort.Strings(r.Words)
	slices.SortFunc(r.Words, strings.Compare)
	regexp.MustCompile(`(\w+)\s+(\w+)`).ReplaceAllString(sb.String(), "$2 $1")
	shared.FindAllString(sb.String(), -1)
	rand.Intn(10)
	name := filepath.Join(dir, strconv.Itoa(i))
	check(os.WriteFile(name, text, 0o600))
	got, err := os.ReadFile(name)
	check(err)
	os.Getenv("HOME")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(got)
	check(z.Close())
	u, err := gzip.NewReader(&packed)
	check(err)
	_, err = io.ReadAll(bufio.NewReader(u))
	check(err)
	sha256.Sum256(got)
	crc32.Checksum(got, crc32.MakeTable(crc32.Castagnoli))
	check(page.Execute(io.Discard, r))
	check(template.Must(template.New("own").Parse("{{.Name}}")).Execute(io.Discard, r))
	time.Now().Format(time.RFC1123)
	fmt.Fprint(io.Discard, time.Now().In(time.UTC).Local())
	logger.Println("goroutine")
	unique.Make(r.Name)
	check(gob.NewEncoder(io.Discard).Encode(r))
	_, err = xml.Marshal(point{1, 2})
	check(err)
	w := tabwriter.NewWriter(io.Discard, 0, 8, 1, ' ', 0)
	fmt.Fprintln(w, "a\tb")
	check(w.Flush())
	var a, b int
	fmt.Sscanf("1 2", "%d %d", &a, &b)
	strings.NewReplacer("a", "b", "c", "d").Replace("abcd")
	replacer.Replace("abcd")
	strings.EqualFold("AbC", "aBc")
	time.ParseDuration("3s")
	time.LoadLocation("Europe/Berlin")
}

var (
	shared   = regexp.MustCompile(`[a-z]+`)
	page     = template.Must(template.New("page").Parse("{{range .Words}}{{.}} {{end}}{{printf \"%d\" (len .Count)}}"))
	logger   = log.New(io.Discard, "", log.LstdFlags)
	replacer = strings.NewReplacer("a", "bb", "c", "dd")
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	dir, err := os.MkdirTemp("", "silent")
	check(err)
	defer os.RemoveAll(dir)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for range 3 {
				work(dir, i)
			}
		})
	}
	wg.Wait()
}
