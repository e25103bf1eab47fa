package instrument

import (
	"slices"
	"strings"
	"testing"
)

func TestGoflags(t *testing.T) {
	tests := []struct {
		value string
		tags  []string
		want  []string // among the build's flags
		err   string
	}{
		{"", nil, []string{"-tags=detrace,race"}, ""},
		{"-tags=b,a -ldflags=-w", []string{"c", "a d"}, []string{"-tags=a,b,c,d,detrace,race"}, ""},
		{"-mod=mod", nil, []string{"-mod=readonly"}, ""},
		{"'-gcflags=-N -l' --gcflags=./x=-m", nil, []string{
			"-gcflags=all=-race -d=checkptr=0", "-gcflags=-N -l -race -d=checkptr=0", "-gcflags=./x=-m -race -d=checkptr=0", "-gcflags=std=-race -d=checkptr=0", "-gcflags=internal/runtime/detrace/...="}, ""},
		{"'-ldflags=-X main.v=1' -ldflags=./x=-s", nil, []string{"-ldflags=-w", "-ldflags=-X main.v=1 -w", "-ldflags=./x=-s -w"}, ""},
		{"-race", nil, nil, "GOFLAGS contains -race"},
		{"-x --race=true", nil, nil, "GOFLAGS contains -race"},
		{"-race=false -cover=0", nil, []string{"-tags=detrace,race"}, ""},
		{"-msan", nil, nil, "GOFLAGS contains -msan"},
		{"-asan", nil, nil, "GOFLAGS contains -asan"},
		{`"-overlay=/a b.json"`, nil, nil, "GOFLAGS contains -overlay"},
		{"-compiler=gccgo", nil, nil, "gc compiler"},
	}
	for _, test := range tests {
		f, err := parseGoflags(test.value)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("GOFLAGS=%s: error %v, want %s", test.value, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("GOFLAGS=%s: %v", test.value, err)
			continue
		}
		args := append(f.args("/overlay.json", test.tags), f.noDebug()...)
		last := -1
		for _, want := range test.want {
			i := slices.Index(args, want)
			if i <= last {
				t.Errorf("GOFLAGS=%s: %s is missing or out of order in %q", test.value, want, args)
			}
			last = i
		}
	}
}

func TestSplitQuoted(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" -a  -b=c\t-d ", []string{"-a", "-b=c", "-d"}},
		{`'-a=b c' "-d=e f"`, []string{"-a=b c", "-d=e f"}},
		{`-a='b' 'open`, []string{"-a='b'", "open"}},
	}
	for _, test := range tests {
		if got := splitQuoted(test.in); !slices.Equal(got, test.want) {
			t.Errorf("splitQuoted(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}
