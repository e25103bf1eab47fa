package dedup

import "errors"

// Packed data is a sequence of literals, a byte n below 128 and n+1 bytes, and copies,
// a byte 128+n and a distance of two bytes: n+shortest bytes that stand so far back.
const (
	shortest = 4
	longest  = shortest + 127
	tableLog = 10
)

// pack compresses data.
func pack(data []byte) []byte {
	var seen [1 << tableLog]int32 // 1 + where four bytes with this hash stood last
	var out []byte
	literal := 0
	for i := 0; i < len(data); {
		length, distance := 0, 0
		if i+shortest <= len(data) {
			slot := &seen[hash4(data[i:])]
			if from := int(*slot) - 1; from >= 0 && i-from < 1<<16 {
				length, distance = common(data, from, i), i-from
			}
			*slot = int32(i + 1)
		}
		if length < shortest {
			i++
			continue
		}
		out = literals(out, data[literal:i])
		out = append(out, byte(128+length-shortest), byte(distance), byte(distance>>8))
		i += length
		literal = i
	}
	return literals(out, data[literal:])
}

func hash4(b []byte) uint32 {
	v := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
	return v * 2654435761 >> (32 - tableLog)
}

// common is how many bytes at from and at i are equal, longest at most.
func common(data []byte, from, i int) int {
	n := 0
	for n < longest && i+n < len(data) && data[from+n] == data[i+n] {
		n++
	}
	return n
}

func literals(out, data []byte) []byte {
	for len(data) > 0 {
		n := min(len(data), 128)
		out = append(append(out, byte(n-1)), data[:n]...)
		data = data[n:]
	}
	return out
}

var errPacked = errors.New("what was packed cannot be unpacked")

// unpack is the inverse of pack.
func unpack(packed []byte) ([]byte, error) {
	var out []byte
	for len(packed) > 0 {
		n := int(packed[0])
		if n < 128 {
			if len(packed) < n+2 {
				return nil, errPacked
			}
			out, packed = append(out, packed[1:n+2]...), packed[n+2:]
			continue
		}
		if len(packed) < 3 {
			return nil, errPacked
		}
		from := len(out) - int(packed[1]) - int(packed[2])<<8
		if from < 0 || from == len(out) {
			return nil, errPacked
		}
		for range n - 128 + shortest {
			out = append(out, out[from])
			from++
		}
		packed = packed[3:]
	}
	return out, nil
}
