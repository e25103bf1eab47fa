//go:build judged && go1.26

package runtime

func detwaitsat(s *sudog) *hchan { return s.c.get() }
