---@meta
-- The wire shapes this client reads, as docs/protocol.md names them. Nothing runs here.

---@alias agentq.HunkState "pending"|"accepted"|"edited"|"rejected"|"conflict"
---@alias agentq.ToolCallState "preparing"|"running"|"waitingApproval"|"done"

---@class agentq.Hunk
---@field id string
---@field uri string
---@field range lsp.Range
---@field oldText string
---@field newText string
---@field kind "edit"|"create"|"delete"|"rename"
---@field title string
---@field requires? string[]
---@field state agentq.HunkState
---@field conflict? string a sentence, where a conflict has another reason than text that changed

---@class agentq.DiagnosticLine
---@field uri? string
---@field range? lsp.Range
---@field severity "error"|"warning"|"information"|"hint"
---@field message string

---@class agentq.Check
---@field state "running"|"done"|"unavailable"
---@field introduced agentq.DiagnosticLine[]
---@field resolved agentq.DiagnosticLine[]
---@field reason? string why it is unavailable

---@class agentq.Proposal
---@field proposalId string
---@field sessionId? string
---@field toolCallId? string
---@field title string
---@field why string
---@field documents {uri: string, version: integer?, sha256: string?}[]
---@field hunks agentq.Hunk[]
---@field check agentq.Check
---@field state "pending"|"applied"|"partiallyApplied"|"rejected"|"withdrawn"

---@class agentq.HunkDecision
---@field id string
---@field decision "accept"|"edit"|"reject"
---@field newText? string
---@field reason? string

---@class agentq.ToolResult
---@field id string
---@field success boolean
---@field content string
---@field error? string
---@field metadata {executionTimeMs: number, complete: boolean, truncated?: boolean, notes?: string[]}

---@class agentq.TurnEvent
---@field kind "turnStarted"|"queuedPrompt"|"text"|"thinking"|"toolCall"|"toolResult"|"usage"|"retrying"|"notice"|"turnEnded"
---@field text? string
---@field toolCallId? string
---@field name? string
---@field state? agentq.ToolCallState
---@field arguments? table<string, any>
---@field result? agentq.ToolResult
---@field inputTokens? integer
---@field outputTokens? integer
---@field cacheReadTokens? integer
---@field cacheWriteTokens? integer
---@field attempt? integer
---@field waitMs? integer
---@field reason? string
---@field level? "info"|"warning"|"error"
---@field message? string
---@field attached? string[] of this client: what went along with the prompt
---@field groups? table<integer, string> of this client: highlight groups of a notice's lines

---@class agentq.Approval
---@field approvalId string
---@field sessionId? string
---@field toolCallId? string
---@field tool string
---@field arguments table<string, any>
---@field why string
---@field risk string
---@field question? string what is asked, where that is not whether the tool may be called
---@field answers? {approved: string, denied: string}

---@class agentq.ErrorInfo
---@field name string
---@field message string
---@field frames {["function"]: string, uri: string, line: integer, character: integer, code?: string}[]
---@field details? string
---@field cause? agentq.ErrorInfo
---@field errors? agentq.ErrorInfo[]
---@field moreErrors? integer

---@class agentq.EvalResult
---@field evalId string
---@field outcome "value"|"error"|"interrupted"|"timeout"|"crashed"
---@field valueId? string
---@field preview? string
---@field type? string
---@field error? agentq.ErrorInfo
---@field stdout string
---@field stderr string
---@field truncated boolean
---@field durationMs number
---@field notes agentq.DiagnosticLine[]
---@field stateKept boolean
---@field installed? string
---@field left? string
---@field changes? agentq.EvaluationChange[]

---@class agentq.EvaluationChange
---@field uri string
---@field kind "created"|"modified"|"deleted"
---@field canRevert boolean
---@field reason? string

---@class agentq.EvaluationChanges
---@field evalId string
---@field by "person"|"agent"
---@field changes agentq.EvaluationChange[]
---@field message string

---@class agentq.HistoryItem
---@field evalId string
---@field by "person"|"agent"|"startup"
---@field module? string absolute path
---@field code string
---@field outcome "value"|"error"|"interrupted"|"timeout"|"crashed"|"running"
---@field valueId? string
---@field preview? string
---@field type? string
---@field error? string
---@field durationMs? number
---@field at string
---@field replayOf? string
---@field stateKept boolean
---@field left? string

---@class agentq.ReplOutput
---@field evalId? string
---@field stream "stdout"|"stderr"
---@field text string
---@field late? boolean

---@class agentq.AgentEvaluation
---@field evalId string
---@field module? string absolute path
---@field code string
---@field isTool? true the code is a tool's own words: its value is no answer to anybody
---@field result? agentq.EvalResult absent when it begins

---@class agentq.LateNotes
---@field evalId string
---@field notes agentq.DiagnosticLine[]

---@class agentq.ValueMember
---@field name string
---@field kind "property"|"symbol"|"entry"|"element"|"getter"|"private"|"internal"
---@field preview string
---@field type string
---@field step? string
---@field keyStep? string
---@field opens boolean
---@field from? string
---@field hidden? boolean

---@class agentq.ValuePage
---@field value string
---@field path string[]
---@field kind string
---@field type string
---@field preview string
---@field facts {name: string, text: string}[]
---@field items agentq.ValueMember[]
---@field total integer
---@field page integer
---@field pages integer
---@field extras agentq.ValueMember[]
---@field text? string
---@field source? {uri: string, line: integer, character: integer}
---@field complete boolean

---@class agentq.Status
---@field version string
---@field node string
---@field workspaceFolders string[]
---@field typescript {version: string, state: string, reason?: string, projects: {name: string, files: integer}[]}
---@field repl agentq.ReplStatus
---@field model {ready: boolean, model: string, baseUrl: string, reason?: string}
---@field sessions integer
---@field pendingProposals integer

---@class agentq.ReplStatus
---@field state string
---@field reason? string
---@field confinement "confined"|"open"
---@field consent? "needed"|"asked"|"given"|"refused"
---@field locked? true
---@field confinementDetail string
---@field nodeVersion string
---@field pid? integer
