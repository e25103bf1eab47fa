package disjoint

import "github.com/detrace/detrace/internal/offheap"

// Nest knows of every task which of its children no join has joined yet, to tell
// whether joins nest: whether each joins the children that its task forked last.
//
// One goroutine at a time. The zero value must be initialised. 8 bytes a task.
type Nest struct {
	newest offheap.Table[uint32] // by task: child
	older  offheap.Table[uint32] // by child: the one that its parent forked before
}

// Init makes room for tasks up to maxTasks.
func (n *Nest) Init(maxTasks uint32) {
	n.newest.Init(maxTasks + 1)
	n.older.Init(maxTasks + 1)
}

// Fork notes a child of parent.
func (n *Nest) Fork(parent, child uint32) {
	newest := n.newest.At(parent)
	*n.older.At(child), *newest = *newest, child
}

// Newest is the child of parent that was forked last and is not joined, 0 if there is none.
func (n *Nest) Newest(parent uint32) uint32 { return *n.newest.At(parent) }

// Older is the child that was forked before child and is not joined, 0 if there is none.
func (n *Nest) Older(child uint32) uint32 { return *n.older.At(child) }

// Join takes out the newest children of parent, down to and with child.
func (n *Nest) Join(parent, child uint32) { *n.newest.At(parent) = *n.older.At(child) }
