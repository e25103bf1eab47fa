// A method value of a value receiver is bound to a copy.
package main

import (
	"fmt"
	"sync"
)

type account struct{ balance int }

func (a account) doubled() int { return 2 * a.balance }

func main() {
	var wg sync.WaitGroup
	a := account{balance: 10}
	f := a.doubled
	got := 0
	wg.Go(func() { got = f() })
	a.balance = 20
	wg.Wait()
	fmt.Println(got, a.balance)
}
