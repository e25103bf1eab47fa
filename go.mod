module github.com/detrace/detrace

go 1.25.0

require golang.org/x/sys v0.38.0

require golang.org/x/sync v0.18.0
