package rsketch

import "github.com/detrace/detrace/reach"

// Visits is how many nodes the searches have visited.
func (e *Engine) Visits() (path, back, forward uint64) {
	return e.visits.path, e.visits.back, e.visits.forward
}

// Nodes is how many nodes have been processed.
func (e *Engine) Nodes() uint64 { return uint64(e.english.Len()) }

// Anchors is the number of nodes of R, Arcs of its edges, Unions of the unions made
// for its closure.
func (e *Engine) Anchors() uint32 { return e.closure.vertexCount }
func (e *Engine) Arcs() uint32    { return e.closure.arcCount }
func (e *Engine) Unions() uint64  { return e.closure.unions }

// PredAnchor tells nodes apart that have different PredAnchors.
func (e *Engine) PredAnchor(s reach.Strand) uint32 { return e.node(s.Index()).pa }

// LimitClosure makes the engine full at so many anchors or bytes.
func (e *Engine) LimitClosure(anchors uint32, bytes uint64) {
	e.closure.most, e.closure.mostBytes = anchors, bytes
}
