package coalesce

// named are nests that random ones seldom are; R( and )R are around what is read,
// W( and )W around what is written, B( and )B around what is both, and X( and )X and M( and )M around
// structs that are read and written as a whole.
var named = []string{
	// An access on a condition, and one without after it.
	"\tfor i := 1; i < k+8; i++ {\n\t\tif s&1 == 0 {\n\t\t\ts += R(a[i])R\n\t\t}\n\t\ts += R(a[i])R + R(b[i])R\n\t}\n",
	// An access on a condition that data decide.
	"\tfor i := 1; i < k+8; i++ {\n\t\tif R(b[i])R%4 > 1 {\n\t\t\ts += R(a[i])R\n\t\t}\n\t}\n",
	// A stencil.
	"\tfor i := 1; i < n+2; i++ {\n\t\tfor j := 1; j < k+1; j++ {\n\t\t\ts += R(a[i*20+j-1])R + R(a[i*20+j+1])R + R(a[i*20+j-20])R + R(a[i*20+j+20])R\n\t\t}\n\t}\n",
	// A wavefront, whose elements are written in one of two places.
	"\tfor i := 1; i < k+3; i++ {\n\t\tfor j := 1; j < q+4; j++ {\n\t\t\tif R(b[j])R%3 > 1 {\n\t\t\t\tW(a[i*9+j])W = R(a[(i-1)*9+j-1])R + 1\n\t\t\t} else {\n" +
		"\t\t\t\tW(a[i*9+j])W = max(R(a[(i-1)*9+j])R, R(a[i*9+j-1])R)\n\t\t\t}\n\t\t}\n\t}\n",
	// The same from the other side, and from below.
	"\tfor i := k + 5; i > 2; i -= 2 {\n\t\tfor j := 1; j < q+4; j++ {\n\t\t\tif R(b[j])R%3 > 1 {\n\t\t\t\tW(a[i*9+j])W = R(a[(i+2)*9+j+1])R + 1\n\t\t\t} else {\n" +
		"\t\t\t\tW(a[i*9+j])W = R(a[(i+4)*9+j-1])R\n\t\t\t}\n\t\t}\n\t}\n",
	// One whose rows grow.
	"\tfor i := 1; i < k+4; i++ {\n\t\tfor j := 0; j < i; j++ {\n\t\t\tW(a[i*20+j])W = R(a[(i-1)*20+j])R\n\t\t}\n\t}\n",
	// A read of what a later round writes.
	"\tfor i := 1; i < k+12; i++ {\n\t\tW(a[i])W = R(a[i+1])R + R(a[i-1])R\n\t}\n",
	// One written in every other round only.
	"\tfor i := 1; i < k+12; i++ {\n\t\tif s&1 == 0 {\n\t\t\tW(a[i])W = R(b[i])R\n\t\t}\n\t\ts += R(a[i-1])R + R(b[i+1])R + i\n\t}\n",
	// A number that others may reach, and one of the nest itself that only a block does from which it is left.
	"\tsn, ss := n, 0; share(&a, &p, &sn, &ss)\n\tfor i := 0; i < R(sn)R; i++ {\n\t\tB(ss)B += R(b[i])R * R(sn)R\n\t}\n\ts = ss\n",
	"\tfor i := 0; i < k+12; i++ {\n\t\tx := R(b[i])R\n\t\tif s > 400 {\n\t\t\tshare(&a, &p, &n, &x)\n\t\t\tbreak\n\t\t}\n\t\ts += x * R(b[i+1])R\n\t}\n",
	// A nest that has written when it is left.
	"\tfor i := 0; i < k+12; i++ {\n\t\tif R(b[i])R > 40 {\n\t\t\tbreak\n\t\t}\n\t\tW(a[i])W = R(a[i])R + 1\n\t}\n",
	// Rows that are left, and that have no elements or fewer.
	"\tfor i := 0; i < k+2; i++ {\n\t\trow := a[i*9 : i*9+6]\n\t\tfor j := 0; j < q; j++ {\n\t\t\ts += R(row[j])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < k+2; i++ {\n\t\trow := a[i+q : i+n]\n\t\tfor j := range row {\n\t\t\tW(row[j])W = R(b[j])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < 9; i++ {\n\t\trow := a[i*k:]\n\t\ts += R(b[i])R + len(row)\n\t}\n",
	// A row that is not there, which is no matter without a round, or in another branch.
	"\tfor i := 0; i < n; i++ {\n\t\tfor j := 0; j < len(R(m[k])R); j++ {\n\t\t\ts += R(R(m[k])R[j])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < 9; i++ {\n\t\ts += R(b[i])R\n\t\tif s&1 == 0 {\n\t\t\ts += len(R(m[n])R) / 2 * q\n\t\t}\n\t}\n",
	// Functions that divide by what they are given.
	"\tfor i := 0; i < 9; i++ {\n\t\tif q > 3 {\n\t\t\tW(a[i])W = modulo(R(b[i])R, k)\n\t\t}\n\t}\n",
	"\tc := counter{}\n\tfor i := 0; i < 9; i++ {\n\t\tW(a[i])W = R(b[i])R + c.below(k*q)\n\t}\n\ts = c.at\n",
	// Arrays of the function's own: a histogram, rows, and parts of one.
	"\tvar own [5]int\n\tfor i := 0; i < 9; i++ {\n\t\town[R(b[i])R%6]++\n\t}\n\ts = own[1] + own[4]*9\n",
	"\tvar own [2][3]int\n\tfor i := 0; i < 9; i++ {\n\t\town[R(b[i])R&1][i%3+q] += R(a[i])R\n\t}\n\ts = own[0][1] + own[1][2]*9\n",
	"\tvar own [9]int\n\tfor i := 0; i < 9; i++ {\n\t\tpart := own[R(b[i])R%4 : k]\n\t\tpart[0]++\n\t\tpart[len(part)-1] += i\n\t}\n\ts = own[1] + own[3]*9\n",
	// One that is reached by another name.
	"\town := [9]int{n, k}\n\tpart := own[:]\n\tfor i := 0; i < 8; i++ {\n\t\tpart[i]++\n\t\ts += R(b[i])R * own[i]\n\t}\n\ts += own[1]\n",
	"\town := [9]int{n, k}\n\tpart := own[:]\n\tfor i := 0; i < 8; i++ {\n\t\tother := own[i:]\n\t\tother[0]++\n\t\ts += R(b[i])R * part[i]\n\t}\n\ts += own[1]\n",
	// A call before what an index is taken from.
	"\tc, own := counter{}, [4]int{k, n, q}\n\tfor i := 0; i < 9; i++ {\n\t\ts += c.next() + own[c.below(4)] + R(b[i])R\n\t}\n",
	// Elements at indices that are data: a run that is left when some were told, a generator, rows, and a store.
	"\tfor i := 0; i < 9*n; i++ {\n\t\ts += R(a[R(b[i])R])R\n\t}\n",
	"\tc := counter{}\n\tfor i := 0; i < 40; i++ {\n\t\ts += R(p.table[c.below(R(b[i])R+1)])R\n\t}\n",
	"\tfor i := 0; i < k+3; i++ {\n\t\tfor j := 0; j < 9; j++ {\n\t\t\ts += R(R(m[i])R[R(b[j])R&3])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < 9; i++ {\n\t\ts += R(b[i])R\n\t\tW(a[s&7])W = i\n\t}\n",
	// Bounds that are elements: a row of a sparse matrix, some that the nest stores to, by another name or as a whole, an element of
	// a slice that changes, and of a part.
	"\tfor i := R(b[k])R; i < R(b[k+1])R; i++ {\n\t\ts += R(a[i])R * R(v.D[R(R(p.table)R[i])R])R\n\t}\n",
	"\tfor i := 0; i < R(b[k])R; i++ {\n\t\tW(a[i])W = R(v.D[i])R + 3\n\t}\n",
	"\tfor i := 0; i < int(R(R(p.short)R[k])R); i++ {\n\t\tW(a[i])W = R(v.D[i])R + 3\n\t}\n",
	"\tfor i := 0; i < R(grid[2][1])R; i++ {\n\t\tM(grid[2])M = X(grid[3])X\n\t\ts += R(v.D[i])R\n\t}\n",
	"\tfor i := 0; i < 3; i++ {\n\t\tfor j := 0; j < R(b[i])R; j++ {\n\t\t\ts += R(v.D[j])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < 3; i++ {\n\t\trow := b[k:n]\n\t\tfor j := 0; j < R(row[1])R; j++ {\n\t\t\ts += R(v.D[j])R\n\t\t}\n\t}\n",
	"\town := [8]int{9, 8, k}\n\tfor i := 0; i < own[k&7]; i++ {\n\t\town[k&7]--\n\t\ts += R(v.D[i])R\n\t}\n",
	// Pointers to arrays, one of which is another one each time.
	"\tfor i := 0; i < k+9; i++ {\n\t\tB(R(p.forty)R[i*2])B += R(R(p.forty)R[39-i])R\n\t}\n",
	"\tarrays := []*[9]int{&grid[1], &grid[k&1], &grid[3]}\n\tfor i := 0; i < 3; i++ {\n\t\tfor j := 0; j < 9; j++ {\n\t\t\ts += R(R(arrays[i])R[j])R\n\t\t}\n\t}\n",
	// Indices of what is declared just before.
	"\town := [8]int{n, k, q}\n\tfor i := 0; i < 9; i++ {\n\t\tvar (\n\t\t\tx = R(b[i])R & 7\n\t\t\ty = own[x]\n\t\t)\n\t\ts += x * y\n\t}\n",
	"\town := [8]int{n, k, q}\n\tfor i := 0; i < 9; i++ {\n\t\tif x := own[R(b[i])R&7]; x > 2 {\n\t\t\tx := own[x&3]\n\t\t\ts += x\n\t\t} else if y := R(a[i])R; y > 3 {\n\t\t\tvar y = own[y&7]\n\t\t\ts -= y / (y + 1)\n\t\t}\n\t}\n",
	// Divisions by data.
	"\tfor i := 0; i < 9; i++ {\n\t\tif R(b[i])R != 7 {\n\t\t\ts += modulo(n, R(b[i])R) + s/R(b[i])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < 9; i++ {\n\t\ts := s\n\t\tif R(b[i])R > 40 {\n\t\t\treturn s + 1\n\t\t}\n\t\tk += s / (R(a[i])R - 7)\n\t}\n\ts = k\n",
	"\tfor i := 0; i < 9; i++ {\n\t\tW(a[i])W = R(a[i])R + n/(R(b[i])R-28)\n\t}\n",
	// Sums in fields and in variables of packages, and structs as a whole.
	"\tfor i := 0; i < 9; i++ {\n\t\tB(p.sum)B += R(b[i])R\n\t\tB(tally)B++\n\t\tB(v.cells[i].y)B += i\n\t}\n",
	"\tfor i := 0; i < p.N; i++ {\n\t\tW(p.N)W = R(b[i])R\n\t}\n",
	"\tfor i := 0; i < 9; i++ {\n\t\tW(a[i*R(p.one.x)R])W = i\n\t\tM(p.one)M = X(v.cells[i])X\n\t}\n",
	"\tfor ci, c := range v.cells {\n\t\ts += c.x + ci*c.y\n\t}\n",
	"\tfor i := 0; i < k+8; i++ {\n\t\tx := X(v.cells[i])X\n\t\tx.y += s\n\t\ts += x.y\n\t\tW(a[i])W = x.y\n\t}\n",
	"\tfor i := 0; i < k+8; i++ {\n\t\tx := R(v.singles[i])R\n\t\ts += x.x\n\t}\n",
	"\tvar sums cell\n\tfor i := 0; i < k+8; i++ {\n\t\tsums.x++\n\t\tW(a[sums.x])W = i\n\t}\n\ts = sums.x\n",
	"\tvar sums cell\n\tfor i := 0; i < k+8; i++ {\n\t\tsums.x += R(b[i])R\n\t}\n\ts = sums.x\n",
	// A triangle, whose last round touches all.
	"\tfor i := 0; i < k+6; i++ {\n\t\tfor j := 0; j < i+1; j++ {\n\t\t\ts += R(a[j])R\n\t\t}\n\t}\n",
	// An access in a loop that often has no rounds, and one behind it.
	"\tfor i := 0; i < k+3; i++ {\n\t\tfor j := 4; j < i; j++ {\n\t\t\ts += R(a[i])R\n\t\t}\n\t\ts += R(a[i])R\n\t}\n",
}
