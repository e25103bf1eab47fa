package report

import (
	"debug/elf"
	"sort"
	"strings"
)

// globals is the variables in the symbol table of an executable. The nil value
// knows none. Immutable.
type globals struct{ syms []symbol } // by address

type symbol struct {
	name       string
	addr, size uint64
}

// readGlobals reads the symbols of an executable that is loaded where it was
// linked; of any other, or an unreadable one, it knows none.
func readGlobals(binary string) *globals {
	if binary == "" {
		return nil
	}
	f, err := elf.Open(binary)
	if err != nil {
		return nil
	}
	defer f.Close()
	if f.Type != elf.ET_EXEC {
		return nil
	}
	all, err := f.Symbols()
	if err != nil {
		return nil
	}
	g := &globals{}
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_OBJECT && s.Size > 0 {
			g.syms = append(g.syms, symbol{s.Name, s.Value, s.Size})
		}
	}
	sort.Slice(g.syms, func(i, j int) bool { return g.syms[i].addr < g.syms[j].addr })
	return g
}

// find returns the variable that holds addr.
func (g *globals) find(addr uint64) (symbol, bool) {
	if g == nil {
		return symbol{}, false
	}
	i := sort.Search(len(g.syms), func(i int) bool { return g.syms[i].addr > addr }) - 1
	if i < 0 || addr-g.syms[i].addr >= g.syms[i].size {
		return symbol{}, false
	}
	return g.syms[i], true
}

// variable is the symbol's name if the source has a variable of that name, or
// "" for what the compiler made, such as the array behind a slice literal.
func variable(sym string) string {
	name := sym[strings.LastIndexByte(sym, '/')+1:]
	pkg, v, ok := strings.Cut(name, ".")
	if !ok || pkg == "" || v == "" || strings.Contains(v, ".") || strings.Contains(sym, ":") {
		return ""
	}
	return sym
}
