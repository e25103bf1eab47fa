package shadow

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// asking is a scene that counts questions.
type asking struct {
	*scene
	asked int
}

func (a *asking) Precedes(u Strand) bool {
	a.asked++
	return a.scene.Precedes(u)
}

// Who comes after all of a journal asks about the first entry, once for all journals that it is
// in front of.
func TestSuccessionAsksOnce(t *testing.T) {
	s := diary(t, 3)
	s.serial = true
	for i := uintptr(8); i < 80; i += 8 {
		s.do(low+i+4, 1, by(999, Write, 1, 1))
		for round := range 3 {
			for site := range uint32(3) {
				s.write(low+i, 100*round+100, site, 1)
			}
		}
	}
	o := &asking{scene: s}
	for i := uintptr(0); i < 80; i += 8 {
		s.Access(low+i, 1, by(2000, Write, 10, 1), o)
		if j := s.journalAt(t, low+i); o.asked != 1 || !j.ordered || j.length != 3 {
			t.Errorf("word %d: %d questions so far, ordered %v, %d entries", i/8, o.asked, j.ordered, j.length)
		}
	}
}

// So does a range of which several bytes have one.
func TestSuccessionOfRanges(t *testing.T) {
	s := diary(t, 3)
	s.serial = true
	for i := uintptr(8); i < 32; i += 8 {
		s.do(low+i+4, 1, by(999, Write, 1, 1))
		for round := range 3 {
			for site := range uint32(3) {
				s.write(low+i, 100*round+100+int(site), site, 1)
			}
		}
	}
	o := &asking{scene: s}
	s.Access(low+8, 24, by(2000, Write, 10, 1), o)
	if o.asked != 2 {
		t.Errorf("%d questions about one journal and one list", o.asked)
	}
	for i := uintptr(8); i < 32; i += 8 {
		if j := s.journalAt(t, low+i); !j.ordered || j.length != 3 || j.entries[0].strand != strandOf(2000) {
			t.Errorf("word %d: ordered %v, %d entries", i/8, j.ordered, j.length)
		}
	}
}

func (s *scene) journalAt(t *testing.T, addr uintptr) *journal {
	_, _, state := s.look(s.Window(addr), addr)
	if !state.isJournal() {
		t.Fatalf("state %#x at %#x is no journal", state, addr)
	}
	return s.states.journal(state)
}

// owner lends memory: accesses there are ordered in every schedule, by whatever.
type owner struct {
	*scene
	access Access
	lends  bool
	lucky  map[Strand]bool // precede the access by luck
	luck   []Strand
}

func (o *owner) Certain(u Strand) bool {
	if o.lucky[u] && o.lends {
		o.access.Lent = true
	}
	return !o.lucky[u] || o.lends
}
func (o *owner) Luck(a Access) { o.luck = append(o.luck, a.Strand) }

func (o *owner) write(addr uintptr, strand int, site uint32, lends bool, lucky ...int) {
	o.access, o.lends, o.lucky, o.luck = by(strand, Write, site, 1), lends, make(map[Strand]bool), nil
	for _, u := range lucky {
		o.lucky[strandOf(u)] = true
	}
	o.History.Access(addr, 1, &o.access, o)
}

// What is certain of memory on loan is not taken for certain elsewhere, nor later.
func TestSuccessionToLoan(t *testing.T) {
	s := diary(t, 2) // of strands 300 and 301
	s.serial = true
	o := &owner{scene: s}
	o.write(low, 400, 10, true, 301)
	if len(o.luck) != 0 || s.journalAt(t, low).ordered {
		t.Errorf("luck with %v, ordered %v", o.luck, s.journalAt(t, low).ordered)
	}
	o.write(low, 500, 12, false, 301)
	if len(o.luck) != 1 || o.luck[0] != strandOf(301) {
		t.Errorf("back from a loan there is luck with %v", o.luck)
	}

	for i := uintptr(8); i < 24; i += 8 {
		s.do(low+i+4, 1, by(999, Write, 1, 1))
		for round := range 3 {
			s.write(low+i, 100*round+600, 0, 1)
			s.write(low+i, 100*round+600, 1, 1)
		}
	}
	o.write(low+8, 900, 12, true, 801)
	o.write(low+16, 900, 12, false, 801)
	if len(o.luck) != 1 || o.luck[0] != strandOf(801) {
		t.Errorf("beside a loan there is luck with %v", o.luck)
	}
}

// A strand after one that made many states, for its accesses, makes journals from its first access on,
// until bytes turn out to share what they were.
func TestJournalsFromTheFirst(t *testing.T) {
	for _, strand := range []struct{ accesses, journals int }{{20, 10}, {10000, 0}} {
		v := newVisited(t, 12)
		for round, want := range []int{0, strand.journals} {
			for i := range uintptr(10) {
				v.visit(round+1, i, 10+2*uint32(i), strand.accesses)
			}
			if n := v.journals(); n != want {
				t.Errorf("after strand %d of %d accesses there are %d journals, want %d", round+1, strand.accesses, n, want)
			}
		}
		for round := range 3 { // two bytes alike
			v.visit(round+10, 10, 100, 20)
			v.visit(round+10, 11, 100, 20)
		}
		if _, _, state := v.look(v.Window(low), low+11*8); state.isJournal() {
			t.Errorf("a byte that shares its states has a journal")
		}
	}
}

// visited is some words, which strands visit one after the other.
type visited struct {
	*scene
	words int
}

func newVisited(t *testing.T, words int) visited {
	v := visited{newScene(t, 0), words}
	v.serial = true
	for i := range uintptr(words) {
		v.do(low+i*8+4, 1, by(999, Write, 1, 1)) // so that the line is split
	}
	return v
}

// visit reads and writes a word, at two sites, by a strand that has made so many accesses.
func (v visited) visit(strand int, i uintptr, site uint32, accesses int) {
	for _, a := range []Access{by(strand, Read, site, 1), by(strand, Write, site+1, 1)} {
		a.Count = uint32(accesses)
		v.do(low+i*8, 1, a)
	}
}

func (v visited) journals() (n int) {
	for i := range uintptr(v.words) {
		if _, _, state := v.look(v.Window(low), low+i*8); state.isJournal() {
			n++
		}
	}
	return n
}

// A journal that is full becomes a list, and nothing is lost.
func TestJournalsAreFull(t *testing.T) {
	s := newScene(t, 0)
	s.states.journals.news = 0
	s.do(low+4, 1, by(999, Write, 1, 1)) // which splits the line
	for strand, op := range []Op{Write, Read, Read} {
		s.do(low, 1, by(strand+1, op, min(uint32(strand), 1), 1))
		s.ordered[strandOf(strand+1)] = true
	}
	if _, _, state := s.look(s.Window(low), low); !state.isJournal() {
		t.Fatal("there is no journal")
	}
	for n := 2; n < 2*journalSize; n++ {
		if got := len(s.remembered(low)); got != n {
			t.Fatalf("%d of %d accesses are remembered", got, n)
		}
		if _, _, state := s.look(s.Window(low), low); state.isJournal() != (n <= journalSize) {
			t.Fatalf("after %d accesses: a journal is %v", n, state.isJournal())
		}
		s.do(low, 1, by(10+n, Read, uint32(10+n), 1))
	}
}

// Who comes after all of a journal, to one of many: a read and a write.
func BenchmarkSuccession(b *testing.B) {
	const words = 64
	s := &scene{serial: true}
	s.Init(low, lowSize, high, highSize, 0)
	defer s.close()
	s.states.journals.news = 0
	for i := range uintptr(words) {
		s.do(low+i*8+4, 1, by(999, Write, 1, 1))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		addr, strand, site := low+uintptr(i%words)*8, 1000+i/words, uint32(10+i%words*2)
		s.Access(addr, 1, by(strand, Read, site, 1), s)
		s.Access(addr, 1, by(strand, Write, site+1, 1), s)
	}
}

// TestSuccessionMutants shows that the tests notice what is easily got wrong.
func TestSuccessionMutants(t *testing.T) {
	mutants.Run(t, "^Test(Succession(AsksOnce|OfRanges|ToLoan)|Journals(FromTheFirst|AreFull)|LooseReadComesBack|TasksThatComeBack|JournalsAreLists)$", []mutants.Mutant{
		{Name: "nobody is asked", File: "comeback.go",
			Old: "if !j.ordered || !a.after(j.entries[0].strand, o) {", New: "if !j.ordered {"},
		{Name: "one answers for all, always", File: "comeback.go",
			Old: "if !j.ordered || !a.after(", New: "if !a.after("},
		{Name: "whoever is not ordered is taken to be", File: "journal.go",
			Old: "ordered = ordered && relation == certain", New: "ordered = ordered && relation != unordered"},
		{Name: "a range asks about each entry", File: "journal.go",
			Old: "role = t.again(j, s.access, s.order)", New: "role = differs"},
		{Name: "who comes back has learned all", File: "comeback.go",
			Old: "	j.ordered = j.ordered && j.entries[0].strand.Task() == a.Strand.Task()\n", New: ""},
		{Name: "what is on loan stays so", File: "journal.go",
			Old: "ordered && !a.Lent", New: "ordered"},
		{Name: "all memory is on loan", File: "succession.go",
			Old: "	if !a.Lent {\n", New: "	if true {\n"},
		{Name: "answers are good for all strands", File: "succession.go",
			Old: "*m.follow.at(u, a.Strand) == follower{u, a.Strand}", New: "m.follow.at(u, 0).u == u"},
		{Name: "what the strand did does not matter", File: "succession.go",
			Old: "		if covers(e.op(), a.Op) {\n			return repeats, 0\n		}\n", New: ""},
		{Name: "a read replaces a write", File: "succession.go",
			Old: "covers(a.Op, e.op()) && !k", New: "!k"},
		{Name: "nothing is kept beside who comes after all", File: "succession.go",
			Old: "keepsDominated(&dominated, maxDominated, e.site(), a.Site)", New: "keepsDominated(&dominated, 0, e.site(), a.Site)"},
		{Name: "any number is kept beside who comes after all", File: "succession.go",
			Old: "keepsDominated(&dominated, maxDominated,", New: "keepsDominated(&dominated, 2*journalSize,"},
		{Name: "who comes after all finds room", File: "comeback.go",
			Old: "		if !t.fits(j, drops) {\n			return differs\n		}\n", New: ""},
		{Name: "a journal has room for all", File: "journal.go",
			Old: "left < journalSize && t", New: "t"},
		{Name: "bytes that share what they were have journals", File: "journal.go",
			Old: "		m.alone = false // bytes share what they were\n", New: ""},
		{Name: "each strand begins with lists", File: "audience.go",
			Old: "m.alone || m.many", New: "false"},
		{Name: "however many accesses a strand makes, its states are many", File: "journal.go",
			Old: " && s.access.Count <= journalShare*m.made", New: ""},
	})
}
