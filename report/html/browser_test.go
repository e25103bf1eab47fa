package html

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace/report/reporttest"
)

var browserPath = flag.String("browser", "", "a Chromium in which pages are opened; without it TestBrowser is skipped")

// TestBrowser opens every page from disk in a browser without a window: nothing is loaded
// beside it, nothing is wider than a narrow screen, whoever uses the keyboard comes to all
// links and boxes that scroll, and a screen reader is told of both accesses and the drawing.
func TestBrowser(t *testing.T) {
	if *browserPath == "" {
		t.Skip("no browser: go test ./report/html -run TestBrowser -args -browser chromium")
	}
	b := startBrowser(t)
	for _, c := range reporttest.Cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "report.html")
			if err := os.WriteFile(file, []byte(render(t, c.Report)), 0o666); err != nil {
				t.Fatal(err)
			}
			page := (&url.URL{Scheme: "file", Path: file}).String()
			b.open(t, page)
			for _, other := range b.requests {
				if other != page {
					t.Errorf("the page loads %s", other)
				}
			}
			if wide := b.number(t, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
				t.Errorf("the page is %v pixels wider than the screen", wide)
			}
			b.tabThrough(t)
			b.number(t, "document.querySelectorAll('details').forEach(e => e.open = true)")
			names := b.accessible(t)
			for _, want := range []string{"Source of the first access", "Source of the second access", "how the two accesses part"} {
				if !strings.Contains(names, want) && strings.Contains(render(t, c.Report), want) {
					t.Errorf("a screen reader is not told %q", want)
				}
			}
		})
	}
}

// tabThrough presses the Tab key until the page has been gone through once.
func (b *browser) tabThrough(t *testing.T) {
	const reachable = "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')].filter(e => e.checkVisibility()"
	want := b.number(t, reachable+").length")
	for range int(want) {
		for _, kind := range []string{"rawKeyDown", "keyUp"} {
			b.call(t, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9})
		}
		b.number(t, "document.activeElement.reached = 1")
	}
	if got := b.number(t, reachable+" && e.reached).length"); got != want {
		t.Errorf("by Tab %v of %v links and boxes are reached", got, want)
	}
}

// accessible is what the page tells a screen reader: names and descriptions.
func (b *browser) accessible(t *testing.T) string {
	var tree struct {
		Nodes []struct {
			Name, Description struct{ Value any }
		}
	}
	b.into(t, &tree, "Accessibility.getFullAXTree", nil)
	var all strings.Builder
	for _, n := range tree.Nodes {
		fmt.Fprintln(&all, n.Name.Value, n.Description.Value)
	}
	return all.String()
}

// browser is one page of a browser that is spoken to by its debugging protocol: texts in
// JSON, each ended by a zero byte, in on descriptor 3 and out on 4.
type browser struct {
	in       io.Writer
	out      chan message
	last     int
	session  string
	requests []string // addresses loaded since open
}

type message struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
	Session string `json:"sessionId,omitempty"`
}

func startBrowser(t *testing.T) *browser {
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(*browserPath, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=500,800", "--remote-debugging-pipe",
		"--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{in: in, out: make(chan message, 1024)}
	go b.listen(out)
	t.Cleanup(func() {
		b.call(t, "Browser.close", nil)
		in.Close()
		cmd.Wait()
	})
	var target struct{ TargetID string }
	b.into(t, &target, "Target.createTarget", map[string]any{"url": "about:blank"})
	var attached struct{ SessionID string }
	b.into(t, &attached, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true})
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Accessibility"} {
		b.call(t, domain+".enable", nil)
	}
	return b
}

func (b *browser) listen(out io.Reader) {
	defer close(b.out)
	var pending []byte
	part := make([]byte, 1<<16)
	for {
		n, err := out.Read(part)
		pending = append(pending, part[:n]...)
		for {
			text, rest, whole := bytes.Cut(pending, []byte{0})
			if !whole {
				break
			}
			var m message
			if json.Unmarshal(text, &m) == nil {
				b.out <- m
			}
			pending = rest
		}
		if err != nil {
			return
		}
	}
}

// call sends a command and returns the answer.
func (b *browser) call(t *testing.T, method string, params any) json.RawMessage {
	t.Helper()
	b.last++
	if params == nil {
		params = struct{}{}
	}
	args, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(message{ID: b.last, Method: method, Params: args, Session: b.session})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return b.until(t, method, func(m message) bool { return m.ID == b.last }).Result
}

// until reads messages up to one of a kind.
func (b *browser) until(t *testing.T, what string, is func(message) bool) message {
	t.Helper()
	patience := time.After(time.Minute)
	for {
		select {
		case m, more := <-b.out:
			if !more {
				if what == "Browser.close" {
					return message{}
				}
				t.Fatalf("%s: the browser has ended", what)
			}
			if m.Method == "Network.requestWillBeSent" {
				var sent struct{ Request struct{ URL string } }
				json.Unmarshal(m.Params, &sent)
				b.requests = append(b.requests, sent.Request.URL)
			}
			if is(m) {
				if m.Error != nil {
					t.Fatalf("%s: %s", what, m.Error.Message)
				}
				return m
			}
		case <-patience:
			t.Fatalf("%s: no answer in a minute", what)
		}
	}
}

func (b *browser) into(t *testing.T, answer any, method string, params any) {
	t.Helper()
	if err := json.Unmarshal(b.call(t, method, params), answer); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

// open loads a page.
func (b *browser) open(t *testing.T, address string) {
	t.Helper()
	b.requests = nil
	b.call(t, "Page.navigate", map[string]any{"url": address})
	b.until(t, "load "+address, func(m message) bool { return m.Method == "Page.loadEventFired" })
}

// number is the value of an expression in the page.
func (b *browser) number(t *testing.T, expression string) float64 {
	t.Helper()
	var value struct {
		Result           struct{ Value float64 }
		ExceptionDetails json.RawMessage
	}
	b.into(t, &value, "Runtime.evaluate", map[string]any{"expression": expression})
	if value.ExceptionDetails != nil {
		t.Fatalf("%s: %s", expression, value.ExceptionDetails)
	}
	return value.Result.Value
}
