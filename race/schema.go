package race

import _ "embed"

// Schema is the JSON schema (draft 2020-12) of a report in version [Version].
//
//go:embed schema.json
var Schema []byte
