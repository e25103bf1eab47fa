package tp3

import "slices"

// maxDepth bounds the nesting of blocks, and with it the parser's stack.
const maxDepth = 1000

// Parse reads a program. name stands before positions in messages. An error
// is an [*Error]: the first place that breaks the grammar, or uses a name that
// has no value there, or gives a name a second value in one block.
// Cost: linear in the size of src.
func Parse(name, src string) (*Program, error) {
	p := &parser{
		lexer:  lexer{file: name, src: src, pos: Pos{1, 1}},
		prog:   &Program{name: name},
		lookup: map[string]*binding{},
		depth:  -1, // the program itself is no nested block
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	entry, err := p.block(end)
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokEOF {
		return nil, p.errorf(p.tok.pos, "remove it, or open a block with { before it", "} closes no block")
	}
	p.prog.entry = entry
	return p.prog, nil
}

type parser struct {
	lexer
	tok    token // not yet consumed
	prog   *Program
	depth  int
	scope  int32    // visible slots
	names  *binding // innermost visible local
	lookup map[string]*binding
}

func (p *parser) advance() error {
	tok, err := p.lexer.next()
	if err != nil {
		return err
	}
	p.tok = tok
	return nil
}

func (p *parser) skipSeparators() error {
	for p.tok.kind == tokSeparator {
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// expect consumes the given words and marks.
func (p *parser) expect(do string, texts ...string) error {
	for _, text := range texts {
		if !p.tok.is(text) {
			return p.errorf(p.tok.pos, do, "%s where %q is expected", p.tok, text)
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// block parses statements up to } or the end of the file, which it leaves,
// and returns the index of the first. After the last one comes follow.
// Names assigned in the block are forgotten at its end.
func (p *parser) block(follow int32) (first int32, err error) {
	if p.depth++; p.depth > maxDepth {
		return 0, p.errorf(p.tok.pos, "split the program", "blocks are nested more than %d deep", maxDepth)
	}
	outerScope, outerNames := p.scope, p.names
	first = follow
	last := end
	for {
		if err := p.skipSeparators(); err != nil {
			return 0, err
		}
		if p.tok.kind == tokEOF || p.tok.is("}") {
			break
		}
		if last != end && p.prog.code[last].op == opReturn {
			return 0, p.errorf(p.tok.pos, "return is the last statement of a block: move or remove what follows", "this statement can never run: the task has returned at %s", p.prog.code[last].pos)
		}
		index, err := p.statement()
		if err != nil {
			return 0, err
		}
		if last == end {
			first = index
		} else {
			p.prog.code[last].next = index
		}
		last = index
		p.prog.code[last].next = follow
	}
	p.leave(outerScope, outerNames)
	p.depth--
	return first, nil
}

// leave makes the names of a block invisible and those that they shadow
// visible again.
func (p *parser) leave(scope int32, names *binding) {
	for b := p.names; b != names; b = b.outer {
		if b.shadows != nil {
			p.lookup[b.name] = b.shadows
		} else {
			delete(p.lookup, b.name)
		}
	}
	p.scope, p.names = scope, names
}

const statementForms = "statements are x = alloc, x = new_promise, x = load y, store e to y, x.set, x.get, async { … }, while (0 != load y) { … }, x = e and return"

// statement parses one statement with what separates it from the next.
func (p *parser) statement() (int32, error) {
	index := int32(len(p.prog.code))
	p.prog.code = append(p.prog.code, stmt{pos: p.tok.pos, scope: p.scope, names: p.names})
	s := stmt{pos: p.tok.pos, scope: p.scope, names: p.names}
	if p.tok.kind != tokName {
		return 0, p.errorf(p.tok.pos, statementForms, "%s where a statement is expected", p.tok)
	}
	var err error
	switch p.tok.text {
	case "async", "while":
		err = p.compound(&s, index)
	case "store":
		err = p.store(&s)
	case "return":
		s.op = opReturn
		err = p.advance()
	default:
		err = p.simple(&s)
	}
	if err != nil {
		return 0, err
	}
	s.text = s.format()
	p.prog.code[index] = s
	compound := s.op == opAsync || s.op == opWhile
	if !compound && p.tok.kind != tokSeparator && p.tok.kind != tokEOF && !p.tok.is("}") {
		return 0, p.errorf(p.tok.pos, p.separatorHint(), "%s where the statement should end", p.tok)
	}
	return index, nil
}

func (p *parser) separatorHint() string {
	if p.tok.kind == tokInteger && p.tok.number <= 0 {
		return "there is no subtraction: write a + -1"
	}
	return "put the next statement on a new line or behind ;"
}

// compound parses async { … } and while (0 != load y) { … }.
func (p *parser) compound(s *stmt, index int32) error {
	follow := end
	s.op = opAsync
	if p.tok.is("while") {
		s.op, follow = opWhile, index
		if err := p.condition(s); err != nil {
			return err
		}
	} else if err := p.advance(); err != nil {
		return err
	}
	if err := p.skipSeparators(); err != nil {
		return err
	}
	opened := p.tok.pos
	if err := p.expect("a block in braces follows", "{"); err != nil {
		return err
	}
	var err error
	if s.body, err = p.block(follow); err != nil {
		return err
	}
	if p.tok.kind == tokEOF {
		return p.errorf(opened, "close it with }", "this block is not closed")
	}
	return p.advance()
}

func (p *parser) condition(s *stmt) error {
	const form = "a loop is written while (0 != load y) { … }"
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect(form, "("); err != nil {
		return err
	}
	if p.tok.kind != tokInteger || p.tok.number != 0 {
		return p.errorf(p.tok.pos, form, "%s where 0 is expected", p.tok)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if p.tok.kind != tokNotEqual {
		return p.errorf(p.tok.pos, form, "%s where != is expected", p.tok)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect(form, "load"); err != nil {
		return err
	}
	var err error
	if s.src, err = p.use(); err != nil {
		return err
	}
	return p.expect(form, ")")
}

func (p *parser) store(s *stmt) error {
	s.op = opStore
	err := p.advance()
	if err != nil {
		return err
	}
	if s.expr, err = p.sum(); err != nil {
		return err
	}
	if err := p.expect("a store is written store e to y", "to"); err != nil {
		return err
	}
	s.src, err = p.use()
	return err
}

// simple parses a statement that starts with a local's name.
func (p *parser) simple(s *stmt) error {
	local := p.tok
	if slices.Contains(words, local.text) {
		return p.errorf(local.pos, statementForms, "%q does not start a statement", local.text)
	}
	if err := p.advance(); err != nil {
		return err
	}
	switch {
	case p.tok.is("."):
		return p.promiseOp(s, local)
	case p.tok.is("="):
		return p.assignment(s, local)
	}
	return p.errorf(p.tok.pos, statementForms, "%s where = or . is expected behind %s", p.tok, local.text)
}

func (p *parser) promiseOp(s *stmt, local token) error {
	if err := p.advance(); err != nil {
		return err
	}
	switch {
	case p.tok.is("set"):
		s.op = opSet
	case p.tok.is("get"):
		s.op = opGet
	default:
		return p.errorf(p.tok.pos, "a promise x has x.set and x.get", "%s where set or get is expected", p.tok)
	}
	var err error
	if s.src, err = p.resolve(local); err != nil {
		return err
	}
	return p.advance()
}

func (p *parser) assignment(s *stmt, local token) error {
	err := p.advance()
	if err != nil {
		return err
	}
	switch {
	case p.tok.is("alloc"):
		s.op = opAlloc
		err = p.advance()
	case p.tok.is("new_promise"):
		s.op = opNewPromise
		err = p.advance()
	case p.tok.is("load"):
		s.op = opLoad
		if err = p.advance(); err == nil {
			s.src, err = p.use()
		}
	default:
		s.op = opAssign
		s.expr, err = p.sum()
	}
	if err != nil {
		return err
	}
	s.dst = local.text
	return p.bind(local)
}

// bind makes a name visible from the next statement on.
func (p *parser) bind(local token) error {
	old := p.lookup[local.text]
	if old != nil && old.depth == p.depth {
		return p.errorf(local.pos, "a local is assigned once: choose another name, or keep a value that changes in memory (alloc, load, store)", "%s has its value since %s", local.text, old.pos)
	}
	p.names = &binding{name: local.text, pos: local.pos, slot: p.scope, depth: p.depth, outer: p.names, shadows: old}
	p.lookup[local.text] = p.names
	p.scope++
	return nil
}

// sum parses e: terms with + between them.
func (p *parser) sum() ([]term, error) {
	var terms []term
	for {
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
		if !p.tok.is("+") {
			return terms, nil
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) term() (term, error) {
	if p.tok.kind == tokInteger {
		t := term{number: p.tok.number}
		return t, p.advance()
	}
	n, err := p.use()
	return term{name: n}, err
}

// words cannot be names of locals.
var words = []string{"alloc", "async", "load", "new_promise", "return", "store", "to", "while"}

// use consumes the name of a local that has a value.
func (p *parser) use() (name, error) {
	tok := p.tok
	if tok.kind != tokName || slices.Contains(words, tok.text) {
		return name{}, p.errorf(tok.pos, "expressions are integers, names and sums of them with +; load, store, set and get take a name", "%s where a value is expected", tok)
	}
	n, err := p.resolve(tok)
	if err != nil {
		return name{}, err
	}
	return n, p.advance()
}

func (p *parser) resolve(tok token) (name, error) {
	b := p.lookup[tok.text]
	if b == nil {
		return name{}, p.errorf(tok.pos, "assign it before, in this block or one around it", "the name %s has no value here", tok.text)
	}
	return name{text: tok.text, slot: b.slot}, nil
}
