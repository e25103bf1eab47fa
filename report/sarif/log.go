package sarif

// The part of a SARIF log that is written, by the names of the standard.

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool               tool                        `json:"tool"`
	Invocations        []invocation                `json:"invocations"`
	OriginalURIBaseIDs map[string]artifactLocation `json:"originalUriBaseIds,omitempty"`
	Results            []result                    `json:"results"`
	ColumnKind         string                      `json:"columnKind"`
	Properties         *runProperties              `json:"properties,omitempty"`
}

type runProperties struct {
	Verdict        string   `json:"verdict"`
	Engine         string   `json:"engine"`
	Tasks          uint64   `json:"tasks"`
	Uninstrumented []string `json:"uninstrumented,omitempty"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name           string       `json:"name"`
	Version        string       `json:"version,omitempty"`
	InformationURI string       `json:"informationUri"`
	Rules          []descriptor `json:"rules"`
	Notifications  []descriptor `json:"notifications,omitempty"`
}

// descriptor is a rule, or a kind of notification.
type descriptor struct {
	ID                   string                `json:"id"`
	Name                 string                `json:"name,omitempty"`
	ShortDescription     message               `json:"shortDescription"`
	FullDescription      *message              `json:"fullDescription,omitempty"`
	Help                 message               `json:"help"`
	DefaultConfiguration *configuration        `json:"defaultConfiguration,omitempty"`
	Properties           *descriptorProperties `json:"properties,omitempty"`
}

type descriptorProperties struct {
	Tags      []string `json:"tags,omitempty"`
	Precision string   `json:"precision,omitempty"`
}

type configuration struct {
	Level string `json:"level"`
}

type message struct {
	Text string `json:"text"`
}

type invocation struct {
	ExecutionSuccessful        bool           `json:"executionSuccessful"`
	ExitCode                   int            `json:"exitCode"`
	ExitCodeDescription        string         `json:"exitCodeDescription"`
	ToolExecutionNotifications []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Descriptor reference `json:"descriptor"`
	Level      string    `json:"level"`
	Message    message   `json:"message"`
}

type reference struct {
	ID    string `json:"id"`
	Index int    `json:"index"`
}

type result struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             message           `json:"message"`
	Locations           []location        `json:"locations"`
	RelatedLocations    []location        `json:"relatedLocations,omitempty"`
	OccurrenceCount     uint64            `json:"occurrenceCount,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints,omitempty"`
	CodeFlows           []codeFlow        `json:"codeFlows,omitempty"`
	Stacks              []stack           `json:"stacks,omitempty"`
	// Suppressions is nil for all results of a run or for none.
	Suppressions *[]suppression `json:"suppressions,omitempty"`
}

type suppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

type codeFlow struct {
	ThreadFlows []threadFlow `json:"threadFlows"`
}

type threadFlow struct {
	ID        string               `json:"id"`
	Message   message              `json:"message"`
	Locations []threadFlowLocation `json:"locations"`
}

type threadFlowLocation struct {
	Location     location `json:"location"`
	Kinds        []string `json:"kinds,omitempty"`
	NestingLevel int      `json:"nestingLevel"`
	Importance   string   `json:"importance"`
}

type stack struct {
	Message message `json:"message"`
	Frames  []frame `json:"frames"`
}

type frame struct {
	Location location `json:"location"`
}

type location struct {
	ID               int               `json:"id,omitempty"`
	PhysicalLocation *physicalLocation `json:"physicalLocation,omitempty"`
	LogicalLocations []logicalLocation `json:"logicalLocations,omitempty"`
	Message          *message          `json:"message,omitempty"`
}

type physicalLocation struct {
	ArtifactLocation artifactLocation `json:"artifactLocation"`
	Region           *region          `json:"region,omitempty"`
}

type artifactLocation struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId,omitempty"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type logicalLocation struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}
