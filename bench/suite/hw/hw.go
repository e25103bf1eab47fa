// Package hw tracks points of a moving wall through a sequence of generated frames:
// each point is looked for near its last place by comparing its template, which then
// takes in a part of what was found. N is the number of frames, Base the radius of a
// template, Steps the number of points.
//
// MultiBags (PPoPP'19) and SF-Order (SPAA'21) measure the Heart Wall program of the
// Rodinia suite with 10 frames. This one does the same on frames whose motion is known.
package hw

import (
	"fmt"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. With general futures a point also waits for its
// neighbours in the last frame.
var Info = program.Info{
	Name: "hw", Kind: program.Dense, General: true,
	Tiny:   program.Params{N: 3, Base: 3, Steps: 5},
	Small:  program.Params{N: 8, Base: 8, Steps: 24},
	Medium: program.Params{N: 10, Base: 12, Steps: 51},
	Paper:  program.Params{N: 10, Base: 20, Steps: 51},
}

// reach is how far a point is looked for, and step how far the wall moves per frame.
const (
	reach = 5
	step  = 2
	noise = 9 // the amplitude of what differs from frame to frame
)

// A Point is a place in a frame and what it looks like there.
type Point struct {
	X, Y     int
	template []int32
}

// A Problem is the frames and the points.
type Problem struct {
	program.Params
	Frames [][]uint8
	Points []Point
	side   int
	moves  [][2]int // of the wall until each frame
	start  [][2]int // of the points
}

// New generates all frames, and the points' places and templates in the first.
func New(params program.Params) (*Problem, error) {
	if err := program.Positive(params.N-1, params.Base, params.Steps); err != nil {
		return nil, err
	}
	border := params.Base + reach + step*params.N
	p := &Problem{Params: params, side: 2*border + 8 + 2*params.Steps}
	r := program.Rand(params.Seed)
	at := [2]int{}
	for range params.N {
		p.moves = append(p.moves, at)
		p.Frames = append(p.Frames, p.frame(&r, at))
		at[0] += r.Below(2*step+1) - step
		at[1] += r.Below(2*step+1) - step
	}
	inner := p.side - 2*border
	for range params.Steps {
		place := [2]int{border + r.Below(inner), border + r.Below(inner)}
		p.start = append(p.start, place)
		p.Points = append(p.Points, p.point(place))
	}
	return p, nil
}

// frame is a texture seen after a move, with noise.
func (p *Problem) frame(r *program.Rand, move [2]int) []uint8 {
	pixels := make([]uint8, p.side*p.side)
	for y := range p.side {
		for x := range p.side {
			texture := program.Mix(uint64(uint32(x-move[0]))<<32|uint64(uint32(y-move[1]))) ^ p.Seed
			pixels[y*p.side+x] = uint8(texture%(256-noise)) + uint8(r.Below(noise))
		}
	}
	return pixels
}

func (p *Problem) point(place [2]int) Point {
	d := 2*p.Base + 1
	point := Point{place[0], place[1], make([]int32, d*d)}
	for i := range point.template {
		point.template[i] = int32(p.Frames[0][(point.Y-p.Base+i/d)*p.side+point.X-p.Base+i%d])
	}
	return point
}

// Track finds a point in a frame, which must be the next one. dx and dy say where to
// look first.
func (p *Problem) Track(point *Point, frame, dx, dy int) {
	pixels, best := p.Frames[frame], int64(-1)
	bx, by := 0, 0
	for y := point.Y + dy - reach; y <= point.Y+dy+reach; y++ {
		for x := point.X + dx - reach; x <= point.X+dx+reach; x++ {
			if !p.inside(x, y) {
				continue
			}
			if diff := p.difference(pixels, point.template, x, y); best < 0 || diff < best {
				best, bx, by = diff, x, y
			}
		}
	}
	point.X, point.Y = bx, by
	d := 2*p.Base + 1
	for i := range point.template {
		found := int32(pixels[(by-p.Base+i/d)*p.side+bx-p.Base+i%d])
		point.template[i] = (7*point.template[i] + found) / 8
	}
}

func (p *Problem) inside(x, y int) bool {
	return min(x, y) >= p.Base && max(x, y) < p.side-p.Base
}

// difference is the sum of squares between a template and the pixels around x and y.
func (p *Problem) difference(pixels []uint8, template []int32, x, y int) int64 {
	d, sum := 2*p.Base+1, int64(0)
	for i := range d {
		at := (y-p.Base+i)*p.side + x - p.Base
		for j := range d {
			diff := template[i*d+j] - int32(pixels[at+j])
			sum += int64(diff * diff)
		}
	}
	return sum
}

// Serial tracks all points through all frames.
func Serial(p *Problem) {
	for f := 1; f < p.N; f++ {
		for i := range p.Points {
			p.Track(&p.Points[i], f, 0, 0)
		}
	}
}

// Check compares the places with how the wall was moved.
func (p *Problem) Check() error {
	move := p.moves[p.N-1]
	for i, point := range p.Points {
		if x, y := p.start[i][0]+move[0], p.start[i][1]+move[1]; point.X != x || point.Y != y {
			return fmt.Errorf("point %d was found at %d, %d and is at %d, %d", i, point.X, point.Y, x, y)
		}
	}
	return nil
}

// Result is a digest of the places.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for _, point := range p.Points {
		d.Add(uint64(point.X)<<32 | uint64(point.Y))
	}
	return uint64(d)
}
