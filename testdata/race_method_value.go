// A method value is bound to the one receiver.
package main

import "sync"

type account struct{ balance int }

func (a *account) deposit() {
	a.balance++ // want race(balance)
}

func main() {
	var wg sync.WaitGroup
	var a account
	f := a.deposit
	wg.Go(f)
	wg.Go(f)
	wg.Wait()
}
