package instrument

import (
	"os"
	"path/filepath"
	"testing"
)

// The longest way to a hook on a stack that must not grow begins in package reflect: the linker
// refuses it when one function on it takes a few bytes more, in one version of Go and not in
// another.
func TestHooksFitUnderReflect(t *testing.T) {
	for _, toolchain := range []string{"", "go1.25.4"} {
		t.Run("toolchain="+toolchain, func(t *testing.T) {
			installation(t, toolchain)
			dir := t.TempDir()
			for name, text := range map[string]string{
				"go.mod": "module example.com/calls\n\ngo 1.25.0\n",
				"main.go": `package main

import "reflect"

type number int

func (n number) Plus(m int) int { return int(n) + m }

func main() {
	plus := reflect.ValueOf(number(1)).MethodByName("Plus").Interface().(func(int) int)
	twice := reflect.MakeFunc(reflect.TypeOf(plus), func(args []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(2 * plus(int(args[0].Int())))}
	}).Interface().(func(int) int)
	println(twice(3))
}
`,
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			c := isolated(t, dir)
			c.Patterns = []string{"."}
			if _, err := Build(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		})
	}
}
