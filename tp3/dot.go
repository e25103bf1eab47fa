package tp3

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// DOT writes the graph in the language of Graphviz, in one cluster for each
// task. Nodes of racing statements are outlined twice. The error is w's.
func (g *Graph) DOT(w io.Writer) error {
	nodes, edges := g.Elements()
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "digraph %s {\n  node [fontname=\"monospace\", shape=box];\n", quoteDOT(g.prog.name))
	open := ""
	for i := range nodes {
		n := &nodes[i]
		if n.Task != open {
			if open != "" {
				fmt.Fprintln(out, "  }")
			}
			if open = n.Task; open != "" {
				fmt.Fprintf(out, "  subgraph %s {\n    label=%s;\n", quoteDOT("cluster "+open), quoteDOT(open))
			}
		}
		fmt.Fprintf(out, "    n%d [%s];\n", i, n.dot())
	}
	if open != "" {
		fmt.Fprintln(out, "  }")
	}
	for _, e := range edges {
		fmt.Fprintf(out, "  n%d -> n%d [%s];\n", e.From, e.To, dotEdges[e.Kind])
	}
	fmt.Fprintln(out, "}")
	return out.Flush()
}

var dotEdges = [...]string{
	Continue:   "",
	Fork:       "style=bold, label=fork",
	NewPromise: "style=dotted, label=new",
	Set:        "style=dashed, label=set",
	Join:       "style=dashed, label=join",
}

func (n *Node) dot() string {
	if n.Task == "" {
		style := "shape=ellipse"
		if n.Fulfilled {
			style += ", style=filled"
		}
		return style + ", label=" + quoteDOT(n.Name)
	}
	lines := []string{n.statement()}
	if len(n.Locals) > 0 {
		lines = append(lines, "{"+strings.Join(n.Locals, ", ")+"}")
	}
	style := "label=" + quoteDOT(strings.Join(lines, "\n"))
	if n.Racy {
		style += ", peripheries=2, color=red"
	}
	return style
}

// statement is the statement with its position.
func (n *Node) statement() string {
	if n.Pos == (Pos{}) {
		return n.Text
	}
	return n.Pos.String() + "  " + n.Text
}

var dotQuoter = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func quoteDOT(s string) string { return `"` + dotQuoter.Replace(s) + `"` }
