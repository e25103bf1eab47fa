package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/csv"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"image"
	"image/color"
	"image/png"
	"io"
	"strconv"
	"text/template"
)

// A person is something to encode.
type person struct {
	Name string         `json:"name" xml:"name"`
	Age  int            `json:"age" xml:"age"`
	Tags []string       `json:"tags" xml:"tags"`
	More map[string]int `json:"more" xml:"-"`
}

func people(n int) []person {
	all := make([]person, n)
	for i := range all {
		name := strconv.Itoa(i)
		all[i] = person{"name" + name, i, []string{"a", "b", name}, map[string]int{"x": i, "y": 2 * i}}
	}
	return all
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func throughJSON(n int) int {
	text, err := json.Marshal(people(n))
	must(err)
	var back []person
	must(json.Unmarshal(text, &back))
	return len(back)
}

func throughGob(n int) int {
	var b bytes.Buffer
	must(gob.NewEncoder(&b).Encode(people(n)))
	var back []person
	must(gob.NewDecoder(&b).Decode(&back))
	return len(back)
}

func toXML(n int) int {
	text, err := xml.Marshal(people(n))
	must(err)
	return len(text)
}

func throughCSV(n int) int {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for i := range n {
		must(w.Write([]string{strconv.Itoa(i), "abc", `de"f`}))
	}
	w.Flush()
	rows, err := csv.NewReader(&b).ReadAll()
	must(err)
	return len(rows)
}

func throughGzip(n int) int {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(prose(n))
	must(err)
	must(w.Close())
	r, err := gzip.NewReader(&b)
	must(err)
	length, err := io.Copy(io.Discard, r)
	must(err)
	return int(length)
}

func throughBase64(n int) int {
	back, err := base64.StdEncoding.DecodeString(base64.StdEncoding.EncodeToString(prose(n)))
	must(err)
	return len(back)
}

// throughPNG encodes and decodes a picture of n times n points.
func throughPNG(n int) int {
	picture := image.NewRGBA(image.Rect(0, 0, n, n))
	for y := range n {
		for x := range n {
			picture.Set(x, y, color.RGBA{uint8(x), uint8(y), uint8(x * y), 255})
		}
	}
	var b bytes.Buffer
	must(png.Encode(&b, picture))
	back, err := png.Decode(&b)
	must(err)
	return back.Bounds().Dx()
}

func fillTemplate(n int) int {
	t := template.Must(template.New("").Parse("{{range .}}{{.Name}} is {{.Age}}{{range .Tags}} {{.}}{{end}}\n{{end}}"))
	var b bytes.Buffer
	must(t.Execute(&b, people(n)))
	return b.Len()
}
