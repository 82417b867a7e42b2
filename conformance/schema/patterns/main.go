// Evaluates patterns with Go's regexp package: a JSON case per line on stdin, a JSON result per line on stdout.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
)

type patternCase struct {
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

type patternResult struct {
	Error   string     `json:"error,omitempty"`
	Matches []bool     `json:"matches,omitempty"`
	Found   [][]string `json:"found,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var next patternCase
		if err := json.Unmarshal(lines.Bytes(), &next); err != nil {
			panic(err)
		}
		if err := out.Encode(evaluate(next)); err != nil {
			panic(err)
		}
	}
}

func evaluate(next patternCase) patternResult {
	compiled, err := regexp.Compile(next.Pattern)
	if err != nil {
		return patternResult{Error: err.Error()}
	}
	var result patternResult
	for _, text := range next.Texts {
		found := compiled.FindAllString(text, -1)
		if found == nil {
			found = []string{}
		}
		result.Matches = append(result.Matches, compiled.MatchString(text))
		result.Found = append(result.Found, found)
	}
	return result
}
