package tp3

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// tokenKind is the kind of a token; a mark is its own kind.
type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokSeparator
	tokName
	tokInteger
	tokNotEqual
	tokMark // one of = . + { } ( )
)

type token struct {
	kind   tokenKind
	text   string
	pos    Pos
	number int64
}

// is reports whether the token is this mark or word.
func (t token) is(text string) bool {
	return (t.kind == tokMark || t.kind == tokName) && t.text == text
}

// String is the token as a message quotes it.
func (t token) String() string {
	switch {
	case t.kind == tokEOF:
		return "the end of the file"
	case t.kind == tokSeparator && t.text == "\n":
		return "the end of the line"
	}
	return strconv.Quote(t.text)
}

// lexer cuts a source text into tokens.
type lexer struct {
	file string
	src  string
	off  int
	pos  Pos
}

func (l *lexer) errorf(pos Pos, do, format string, args ...any) *Error {
	return &Error{File: l.file, Pos: pos, What: fmt.Sprintf(format, args...), Do: do}
}

// take moves n bytes on, which must not contain a newline before the last.
func (l *lexer) take(n int) string {
	text := l.src[l.off : l.off+n]
	l.off += n
	l.pos.Col += n
	if text == "\n" {
		l.pos = Pos{l.pos.Line + 1, 1}
	}
	return text
}

// span counts the bytes from offset from on for which in holds.
func (l *lexer) span(from int, in func(c byte) bool) int {
	i := from
	for i < len(l.src) && in(l.src[i]) {
		i++
	}
	return i - from
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func notNewline(c byte) bool { return c != '\n' }

// next returns the next token; at the end tokEOF, again and again.
func (l *lexer) next() (token, error) {
	l.take(l.span(l.off, isBlank))
	if l.off < len(l.src) && l.src[l.off] == '#' {
		l.take(l.span(l.off, notNewline))
	}
	t := token{pos: l.pos}
	if l.off == len(l.src) {
		return t, nil
	}
	switch c := l.src[l.off]; {
	case c == '\n' || c == ';':
		t.kind, t.text = tokSeparator, l.take(1)
	case isLetter(c):
		t.kind, t.text = tokName, l.take(l.span(l.off, isWord))
	case isDigit(c) || c == '-':
		return l.integer(t)
	case c == '!' && l.off+1 < len(l.src) && l.src[l.off+1] == '=':
		t.kind, t.text = tokNotEqual, l.take(2)
	case c == '=' || c == '.' || c == '+' || c == '{' || c == '}' || c == '(' || c == ')':
		t.kind, t.text = tokMark, l.take(1)
	default:
		return t, l.unexpected()
	}
	return t, nil
}

func (l *lexer) integer(t token) (token, error) {
	sign := 0
	if l.src[l.off] == '-' {
		sign = 1
	}
	digits := l.span(l.off+sign, isDigit)
	if digits == 0 {
		return t, l.errorf(t.pos, "there is no subtraction: write a + -1", "a minus sign without a number behind it")
	}
	if n := l.span(l.off+sign, isWord); n > digits {
		return t, l.errorf(t.pos, "a name starts with a letter or an underscore", "%q is neither a number nor a name", l.src[l.off:l.off+sign+n])
	}
	t.kind, t.text = tokInteger, l.take(sign+digits)
	var err error
	if t.number, err = strconv.ParseInt(t.text, 10, 64); err != nil {
		return t, l.errorf(t.pos, "integers have 64 bits", "the number %s is out of range", t.text)
	}
	return t, nil
}

func (l *lexer) unexpected() error {
	r, size := utf8.DecodeRuneInString(l.src[l.off:])
	if r == utf8.RuneError && size == 1 {
		return l.errorf(l.pos, "save the program as UTF-8 text", "the byte 0x%02x is not UTF-8", l.src[l.off])
	}
	do := "remove it"
	switch r {
	case '/':
		do = "comments start with #"
	case '!':
		do = "a loop is written while (0 != load y) { … }"
	case '\u2190':
		do = "assign with ="
	case '\ufeff':
		do = "save the program without a byte order mark"
	}
	return l.errorf(l.pos, do, "the character %q has no meaning here", r)
}
