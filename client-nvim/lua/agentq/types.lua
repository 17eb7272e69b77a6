---@meta
-- What agentq/* messages carry. Made from docs/protocol.schema.json: change server/src/protocol and run
-- `npx vitest run test/wire -u`, not this file. Nothing runs here.

---@alias agentq.HunkState "pending"|"accepted"|"edited"|"rejected"|"conflict"
---@alias agentq.JsonSchema table<string, any>
---@alias agentq.Mode "default"|"plan"
---@alias agentq.ProposalState "pending"|"applied"|"partiallyApplied"|"rejected"|"withdrawn"
---@alias agentq.SafetyLevel "safe"|"cautious"|"dangerous"
---@alias agentq.Thinking "auto"|"off"|"low"|"medium"|"high"|"xhigh"|"max"
---@alias agentq.ToolCallState "preparing"|"running"|"waitingApproval"|"done"
---@alias agentq.TurnEndReason "endTurn"|"cancelled"|"stopped"|"maxTokens"|"maxRounds"|"refusal"|"budget"|"error"|"cut"

---@class agentq.AddContextParams
---@field sessionId? string
---@field items agentq.ContextRef[]

---@class agentq.AddedContext
---@field items agentq.ContextItem[]
---@field total integer
---@field added agentq.ContextItem[]

--- A form of the agent, for a person who watches. Told when it begins, and again with its `result`.
---@class agentq.AgentEvaluation
---@field evalId string
---@field module? string Absolute path of the module in whose scope it runs.
---@field code string The form, or a tool's own words where nobody wrote one. Cut after 4,000 characters.
---@field isTool? true The code is a tool's own words: its value is no answer to anybody.
---@field host? string The program whose agent it is, where it is not the server's own: `claude-code`.
---@field process? string The running program in which it runs; absent for the REPL's own process.
---@field result? agentq.EvalResult Without its output, which came as `agentq/replOutput`.

---@class agentq.AnswerApprovalParams
---@field approvalId string
---@field decision "approved"|"denied"|"modified"
---@field arguments? table<string, any>
---@field message? string
---@field remember? "none"|"session"|"workspace"
---@field then? "continue"|"stop"

---@class agentq.AnswerApprovalResult
---@field accepted boolean

---@class agentq.Approval
---@field approvalId string
---@field sessionId? string
---@field toolCallId? string Absent for a question that belongs to no call.
---@field tool string
---@field arguments table<string, any>
---@field why string
---@field risk string
---@field question? string The question, where it is another one than whether the tool may be called with these arguments.
---@field answers? agentq.ApprovalAnswers What the answers to such a question are called.

---@class agentq.ApprovalAnswers
---@field approved string
---@field denied string
---@field always? string There when a yes can hold for good: `approved` with `remember: "workspace"`.

---@class agentq.ApprovalChanged
---@field approvalId string
---@field state "answered"|"withdrawn"

--- A cautious or dangerous call, or one of a tool that does not exist, from the moment it begins.
---@class agentq.AuditEntry
---@field id string
---@field at string
---@field sessionId? string
---@field toolCallId string Empty for a request.
---@field tool string The name of a request, such as `agentq/decide`, where the client's decision was refused or not true.
---@field safety? agentq.SafetyLevel Absent for a tool that does not exist, and for a request.
---@field caller "model"|"person"
---@field arguments table<string, any> As the caller gave them, without keys and with long texts cut; empty where they were too large to be taken.
---@field decision? "approved"|"denied"|"modified" The person's answer, where they gave one to this very call, and what ran by their word instead.
---@field modifiedArguments? table<string, any>
---@field message? string
---@field hunks? agentq.AuditEntryHunks[] What they decided about the hunks of a proposal.
---@field outcome "running"|"run"|"failed"|"denied"|"invalid"|"unavailable"|"unknown"|"interrupted" `interrupted`: the server ended while the call ran.
---@field detail? string
---@field durationMs? number Without the time that the person took.

---@class agentq.AuditEntryHunks
---@field path string
---@field title string
---@field state agentq.HunkState
---@field applied boolean
---@field why? string Why the hunk is a conflict, or why the person rejected it.

---@class agentq.AuditLogParams
---@field sessionId? string
---@field cursor? string

---@class agentq.AuditLogResult
---@field items agentq.AuditEntry[]
---@field total integer
---@field nextCursor? string

--- A command that goes on by itself.
---@class agentq.BackgroundCommand
---@field id string
---@field command string
---@field startedAt string ISO 8601.

--- Some lines of a buffer; name, URI and kind are those of this moment.
---@class agentq.BufferText
---@field buffer agentq.EditorBuffer
---@field version integer The text's version in the editor: another one, another text.
---@field lines string[]

---@class agentq.CallToolParams
---@field name string
---@field arguments table<string, any>
---@field sessionId? string

---@class agentq.CancelParams
---@field sessionId string

---@class agentq.CancelResult
---@field cancelled boolean
---@field queued? agentq.QueuedPrompt[] What waited for the turn's next boundary, and waits for the person now.

---@class agentq.ChangeDecision
---@field done string[] The uris that are kept or reverted now.
---@field failed agentq.ChangeDecisionFailed[]

---@class agentq.ChangeDecisionFailed
---@field uri string
---@field reason string

--- The errors that come and go, compared with the moment at which the proposal was made.
---@class agentq.Check
---@field state "running"|"done"|"unavailable"
---@field introduced agentq.DiagnosticLine[]
---@field resolved agentq.DiagnosticLine[]
---@field reason? string Why the check is unavailable; of a check that is done, what was left out.

---@class agentq.CheckSubsetParams
---@field proposalId string
---@field hunks agentq.CheckSubsetParamsHunks[]

---@class agentq.CheckSubsetParamsHunks
---@field id string
---@field decision "accept"|"edit"|"reject"
---@field newText? string
---@field currentText? string
---@field lines? agentq.HunkDecisionLines

---@class agentq.ChooseModelParams
---@field sessionId? string The choice is for new conversations when absent.
---@field profile? string
---@field model? string
---@field thinking? "auto"|"off"|"low"|"medium"|"high"|"xhigh"|"max"
---@field temperature? number|nil null: the model's own.

---@class agentq.CompleteInReplParams
---@field process? string The id of a running program (agentq/listProcesses), in the place of the REPL.
---@field code string
---@field position lsp.Position
---@field module? string Workspace path or URI of the module in whose scope the code would run.

---@class agentq.CompletionAnswer
---@field items agentq.ReplCompletion[]
---@field total integer
---@field isIncomplete boolean Asking again may give more.
---@field replace lsp.Range What an item's text takes the place of.
---@field reason? string Why there is less than one would expect.

---@class agentq.ContextItem
---@field id string
---@field kind "file"|"folder"|"selection"|"symbol"|"buffer"|"diagnostics"|"replValue"|"diff"|"image"|"text"
---@field label string For people, such as `src/cart.ts:12-15`.
---@field uri? string The item's place, for a client that jumps there.
---@field range? lsp.Range
---@field size? integer Characters of what the model would get now; absent where the item cannot be had.
---@field missing? string Why the item cannot be had now.
---@field isSent? true The model has it as it is now: it goes along again when it has changed.

---@class agentq.ContextList
---@field items agentq.ContextItem[]
---@field total integer

---@class agentq.ContextRef
---@field kind "file"|"folder"|"selection"|"symbol"|"buffer"|"diagnostics"|"replValue"|"diff"|"image"|"text"
---@field uri? string
---@field range? lsp.Range
---@field symbol? string
---@field text? string
---@field label? string

---@class agentq.DecideParams
---@field proposalId string
---@field hunks agentq.HunkDecision[]
---@field message? string
---@field then? "continue"|"stop"

---@class agentq.DecideResult
---@field edit lsp.WorkspaceEdit|nil What the client must apply to its own buffers now; null when nothing was accepted.
---@field conflicts string[]
---@field remaining string[]

---@class agentq.Delegated
---@field sessionId string
---@field turnId string
---@field seq integer
---@field event agentq.TurnEvent
---@field parent agentq.SessionInfoParent

---@class agentq.DeleteSessionResult
---@field deleted true

---@class agentq.DiagnosticLine
---@field uri? string
---@field range? lsp.Range
---@field severity "error"|"warning"|"information"|"hint"
---@field code? string What kind of note this is, for a client that treats the kind in a way of its own: `filesChanged`, `leftOpen`, `notLoaded`.
---@field message string

---@class agentq.DidApplyParams
---@field proposalId string
---@field documents agentq.DocumentStamp[]

---@class agentq.DidApplyResult
---@field verified boolean True when every document's text is what was approved.
---@field mismatched string[] Documents whose text differs from what was approved.

---@class agentq.DocumentStamp
---@field uri string
---@field version integer|nil The editor's version of an open document, null for one read from disk.
---@field sha256 string|nil Hex SHA-256 of the UTF-8 text, null for a document that does not exist.

---@class agentq.EditQueuedParams
---@field sessionId string
---@field promptId string
---@field text string

--- The editor's buffers as a client tells of them, also those that text sync does not carry.
---@class agentq.EditorBuffer
---@field id string The client's own: what `agentq/readBuffer` is asked with.
---@field name string
---@field kind string What the editor calls the kind: `terminal`, `help`, `compilation-mode`, `typescript`.
---@field uri? string Of the file that the buffer shows, or would write; another scheme than `file` for a file of another machine.
---@field lines integer
---@field modified? boolean
---@field isCurrent? boolean The buffer that the person is in, or was in before they went to the chat.
---@field isVisible? boolean

---@class agentq.EditorBuffers
---@field buffers agentq.EditorBuffer[]

---@class agentq.ErrorFrame
---@field function string
---@field uri string
---@field line integer
---@field character integer
---@field code? string The source line the frame points at.

---@class agentq.ErrorInfo
---@field name string
---@field message string
---@field frames agentq.ErrorFrame[]
---@field details? string The error's other properties, printed: `{ errno: -2, syscall: "open" }`.
---@field cause? agentq.ErrorInfo
---@field errors? agentq.ErrorInfo[] The parts of an AggregateError, the first ten.
---@field moreErrors? integer How many parts there are beyond those.

---@class agentq.EvalResult
---@field evalId string
---@field outcome "value"|"error"|"interrupted"|"timeout"|"crashed"
---@field valueId? string `$7`: the handle under which the REPL keeps the value.
---@field preview? string
---@field type? string
---@field error? agentq.ErrorInfo
---@field stdout string
---@field stderr string
---@field truncated boolean
---@field durationMs number
---@field notes agentq.DiagnosticLine[]
---@field stateKept boolean False when the REPL had to be restarted: definitions and values are gone.
---@field installed? string In words, with `install`: what was installed in which module, who sees it and who keeps an old copy.
---@field left? string What the evaluation left open or running when it ended: `1 timer, 1 server on port 4000`. The notes say so too.
---@field changes? agentq.EvaluationChange[] Files of the workspace that changed while the form ran, in an open REPL; absent for none. The first hundred.

---@class agentq.EvaluateParams
---@field process? string The id of a running program (agentq/listProcesses), in the place of the REPL.
---@field code string
---@field module? string Workspace path or URI of the module whose scope to evaluate in.
---@field timeoutMs? integer
---@field install? boolean The code is declarations: they take the place of the module's own while it runs, without a reload.
---@field sessionId? string
---@field workDoneToken? string|integer As in LSP: work that takes long reports its progress under this token.

---@class agentq.EvaluationChange
---@field uri string
---@field kind "created"|"modified"|"deleted"
---@field canRevert boolean
---@field reason? string Why the change cannot be taken back.

---@class agentq.EvaluationChanges
---@field evalId string
---@field by "person"|"agent"
---@field changes agentq.EvaluationChange[]
---@field message string

---@class agentq.Event
---@field sessionId string
---@field turnId string
---@field seq integer
---@field event agentq.TurnEvent

---@class agentq.ExplainDecisionParams
---@field tool string
---@field arguments table<string, any>
---@field sessionId? string

--- What would become of a call that was made now.
---@class agentq.ExplainedDecision
---@field decision "run"|"ask"|"review"|"refuse" `review`: the call proposes an edit, which the person decides hunk by hunk.
---@field because string One sentence: what decides.
---@field rule? string The rule of the person's policy that decides, as they wrote it.

---@class agentq.ExportResult
---@field patch string For `git apply` in the workspace folder; empty when none of the hunks changes a text.
---@field left agentq.LeftHunk[]

---@class agentq.ExportSessionParams
---@field sessionId string
---@field format? "markdown"|"json"

---@class agentq.ExportedSession
---@field content string

---@class agentq.FailedTest
---@field name string Titles from the outermost suite inwards, with " > " between them.
---@field uri string
---@field range? lsp.Range
---@field message string

---@class agentq.ForgetRememberedParams
---@field id? string

---@class agentq.ForgetRememberedResult
---@field forgotten integer

---@class agentq.ForkSessionParams
---@field sessionId string
---@field turnId? string The fork ends before this message of the person's.
---@field itemId? string The fork ends with this event.

---@class agentq.FormAtParams
---@field uri string
---@field position lsp.Position

---@class agentq.FormAtResult
---@field range lsp.Range|nil
---@field declares? boolean The form declares what `agentq/evaluate` can install.

---@class agentq.FoundInSession
---@field session agentq.SessionInfo
---@field itemId string
---@field turnId string
---@field at string
---@field by "person"|"agent"
---@field snippet string The words around what was found, which is between « and ».

--- One of the places that a tool has found: a call, a mention, a type. At most 2,000 go with an answer, whatever its page holds.
---@class agentq.FoundPlace
---@field uri string
---@field range lsp.Range Empty: where the name begins.
---@field text string One line for people: what is there, and in which declaration.

--- One evaluation of the past, or one that runs.
---@class agentq.HistoryItem
---@field evalId string
---@field by "person"|"agent"|"startup" `startup`: the script that the person chose for every start of the REPL.
---@field module? string Absolute path of the module in whose scope it ran.
---@field code string
---@field outcome "value"|"error"|"interrupted"|"timeout"|"crashed"|"running"
---@field valueId? string
---@field preview? string
---@field type? string
---@field error? string Name and message.
---@field durationMs? number
---@field at string ISO 8601.
---@field replayOf? string The evaluation whose form was run again.
---@field stateKept boolean False when the evaluation's process is gone, and with it the definitions and the value.
---@field left? string What the evaluation left open when it ended, until `agentq/interrupt` or the end of the process ends that too.

---@class agentq.Hunk
---@field id string
---@field uri string
---@field range lsp.Range The hunk's place in the document that `Proposal.documents` names: `oldText`, or in a conflict `currentText`.
---@field oldText string
---@field newText string
---@field kind "edit"|"create"|"delete"|"rename"|"entry" `delete` and `rename` are about the whole file at `uri`: a delete has all of its text as `oldText`, a rename has no text and is decided beside the hunks of the file's text, which have the file's old place. An `entry` is what no text says, told by its title: bytes, a mode, a symbolic link, a folder as it is. The server puts an accepted one in its place.
---@field newUri? string With kind `rename`: the file's new place.
---@field title string
---@field requires? string[] Hunks without which this one brings errors in, as far as the compiler can tell.
---@field defaultDecision? "reject" Left out when all hunks are accepted at once, and then rejected: such a hunk is accepted by itself.
---@field state agentq.HunkState
---@field takenBack? true With state `accepted` or `edited`: the hunk was applied, and the text from before is back. Told of a decided proposal too: another proposal took the hunk back (an undo, a rewind), or the person did by hand, as by an editor's undo.
---@field conflict? string With state `conflict`: a sentence, where the reason is not text that changed at the hunk's place.
---@field currentText? string With state `conflict`: what is at `range` in place of `oldText`. Absent where that is no text, or too long.

---@class agentq.HunkDecision
---@field id string
---@field decision "accept"|"edit"|"reject"
---@field newText? string The person's own text, with decision `edit`.
---@field currentText? string With decision `edit`: the text at the hunk's place when the person wrote `newText`. Where another text is there by then, the hunk is a conflict.
---@field reason? string The person's words for the model, with decision `reject`.
---@field by? "program" With decision `reject`: no person looked, and `reason` is the program's. The model is told so.
---@field lines? agentq.HunkDecisionLines With decision `accept`: only these lines of a hunk of kind `edit`, as indexes from 0 into the lines of its `oldText` that go and of its `newText` that come. A side that is absent follows from the other one. The rest of the hunk waits on.

---@class agentq.HunkDecisionLines
---@field old? integer[]
---@field new? integer[]

--- A proposal as it is now: all but its `edit`, its words, and the hunks that are as they were.
---@class agentq.HunksChanged
---@field proposalId string
---@field hunks agentq.Hunk[] Those that are not as the client was told last.
---@field documents agentq.DocumentStamp[]
---@field check agentq.Check
---@field tests? agentq.TestVerdict
---@field state agentq.ProposalState

---@class agentq.InspectValueParams
---@field process? string The id of a running program (agentq/listProcesses), in the place of the REPL.
---@field value string A handle, a name, or an expression without effects.
---@field module? string Workspace path or URI of a loaded module in whose scope the value is read.
---@field path? string[] Steps inside, as members of a page name them.
---@field page? integer
---@field size? integer

---@class agentq.InterruptParams
---@field process? string The id of a running program (agentq/listProcesses), in the place of the REPL.
---@field evalId? string The evaluation to stop; when absent every one that runs, and the person's tool calls.

---@class agentq.InterruptResult
---@field interrupted boolean
---@field ended? string What a finished evaluation had left open, which the interrupt has ended.

---@class agentq.KeepEvaluationChangesParams
---@field evalId string
---@field uris? string[] All of the evaluation's changes when absent.

---@class agentq.LateNotes
---@field evalId string
---@field notes agentq.DiagnosticLine[] Notes like those of an `EvalResult`.

---@class agentq.LaterResult
---@field proposalId? string The new proposal, which `agentq/proposal` announces; absent when there is nothing to propose.
---@field left agentq.LeftHunk[]

--- A hunk that could not come along, and a sentence why.
---@class agentq.LeftHunk
---@field id string
---@field why string

---@class agentq.ListProposalsParams
---@field state? "pending"|"applied"|"partiallyApplied"|"rejected"|"withdrawn"

---@class agentq.ListProposalsResult
---@field items agentq.Proposal[]
---@field total integer
---@field nextCursor? string

---@class agentq.ListQueueResult
---@field items agentq.QueuedPrompt[]
---@field total integer
---@field nextCursor? string

---@class agentq.ListRememberedResult
---@field items agentq.RememberedCall[]
---@field total integer
---@field nextCursor? string

---@class agentq.ListSessionsParams
---@field limit? integer
---@field cursor? string

---@class agentq.ListSessionsResult
---@field items agentq.SessionInfo[]
---@field total integer
---@field nextCursor? string

---@class agentq.ListToolsParams
---@field maxSafety? "safe"|"cautious"|"dangerous"
---@field categories? string[]

---@class agentq.ListToolsResult
---@field items agentq.ToolInfo[]
---@field total integer
---@field nextCursor? string

---@class agentq.ListTurnsResult
---@field items agentq.TurnInfo[]
---@field total integer
---@field nextCursor? string

---@class agentq.LockReplParams
---@field locked boolean While the REPL is locked, the agent looks and runs nothing.

--- A server of the Model Context Protocol that the person's settings name.
---@class agentq.McpServerStatus
---@field name string
---@field state "starting"|"ready"|"restarting"|"dead" `restarting`: it ended, or could not be started, and is started again in a moment. `dead`: only when somebody asks.
---@field tools integer How many of its tools can be called.
---@field reason? string Why it is not ready.

---@class agentq.Metrics
---@field items agentq.ToolMetrics[]
---@field total integer
---@field nextCursor? string
---@field since string When the server began to count.
---@field model agentq.ModelMetrics

--- What answers: a conversation's own choice, or that of new conversations.
---@class agentq.ModelChoice
---@field profile string
---@field model string
---@field thinking agentq.Thinking
---@field temperature? number Absent: the model's own.

--- A model that can be chosen. What its server does not say is absent.
---@class agentq.ModelInfo
---@field profile string
---@field model string For `agentq/chooseModel`.
---@field name string For people.
---@field maxTokens? integer The longest reply, in tokens.
---@field maxInputTokens? integer The context window, in tokens.
---@field thinking? ("adaptive"|"budget"|"off")[] How the model can be asked to think; empty where it cannot.

---@class agentq.ModelList
---@field items agentq.ModelInfo[] The chosen profile's first. A profile whose server has no list is there with the models that the settings name.
---@field profiles agentq.ModelListProfiles[]
---@field choice agentq.ModelChoice Of the conversation that was named, else of new ones.

---@class agentq.ModelListProfiles
---@field name string
---@field baseUrl string
---@field problem? string

--- How requests to models went since the server began.
---@class agentq.ModelMetrics
---@field requests integer Those that were sent, also again after a failure.
---@field retries integer
---@field failures integer Those without a reply in the end, but for what somebody cancelled.
---@field failuresByKind? table<string, integer> The same by kind, such as `rateLimit`, `overloaded`, `network`, `key` or `tooLong`. Absent when there was none.
---@field inputTokens integer
---@field outputTokens integer
---@field cacheReadTokens integer
---@field cacheWriteTokens integer
---@field cost number In dollars, of the requests that have a price.
---@field firstPieceMs? agentq.Times To the first piece of the reply, in milliseconds. Absent when there was none.
---@field replyMs? agentq.Times Of whole replies, in milliseconds.

---@class agentq.ModelStatus
---@field ready boolean
---@field model string
---@field baseUrl string
---@field profile string Which of the person's profiles it belongs to.
---@field thinking? agentq.Thinking
---@field reason? string Why not ready and what to type.

---@class agentq.OpenProposalParams
---@field proposalId string

---@class agentq.OpenSessionParams
---@field sessionId string
---@field lastTurns? integer Only so many turns; all when absent.
---@field limit? integer
---@field cursor? string

---@class agentq.PromptParams
---@field sessionId? string
---@field newSessionId? string Without sessionId: the id of the conversation that begins, a UUID of the client's.
---@field text string
---@field context? agentq.ContextRef[]
---@field toolChoice? string "auto" (the default): the model calls what it likes; "required": its first reply calls a tool; the name of a tool: its first reply calls that one; "none": it calls no tool in the whole turn.
---@field mode? "default"|"plan" The conversation's mode from now on: in plan mode nothing is changed or run.
---@field active? agentq.PromptParamsActive

---@class agentq.PromptParamsActive
---@field uri string
---@field range? lsp.Range
---@field visible? lsp.Range
---@field diagnostics? agentq.PromptParamsActiveDiagnostics[]

---@class agentq.PromptParamsActiveDiagnostics
---@field range lsp.Range
---@field severity? 1|2|3|4
---@field message string
---@field source? string

---@class agentq.PromptResult
---@field sessionId string
---@field turnId string
---@field queued? boolean True when a turn is running: the text is taken at its next boundary.
---@field promptId? string The id of the text that waits.

---@class agentq.Proposal
---@field proposalId string
---@field sessionId? string
---@field toolCallId? string
---@field at string When it was made: ISO 8601, in UTC.
---@field title string
---@field why string
---@field edit lsp.WorkspaceEdit
---@field documents agentq.DocumentStamp[]
---@field hunks agentq.Hunk[]
---@field check agentq.Check
---@field tests? agentq.TestVerdict There when the tests run by themselves.
---@field state agentq.ProposalState

---@class agentq.QueueChanged
---@field sessionId string
---@field items agentq.QueuedPrompt[]

---@class agentq.QueuedPrompt
---@field promptId string
---@field text string
---@field at string
---@field context? agentq.ContextRef[]
---@field held? true It is not sent by itself any more, because its turn was cancelled or its server ended: somebody takes it back.

---@class agentq.ReadBufferParams
---@field id string
---@field start integer Counted from 0.
---@field end integer Exclusive; beyond the last line there is nothing.

---@class agentq.ReloadBuffersParams
---@field uris string[] Of open documents that the disk has otherwise.

---@class agentq.ReloadBuffersResult
---@field reloaded true

--- A call that runs unasked because the person approved the same tool with the same arguments before.
---@class agentq.RememberedCall
---@field id string
---@field at string
---@field scope "session"|"workspace" `session`: for the rest of that conversation. `workspace`: for good, in this workspace.
---@field sessionId? string
---@field tool string
---@field arguments table<string, any> Without keys and with long texts cut: the call itself is compared as it was.

---@class agentq.RemoveContextParams
---@field sessionId? string
---@field ids string[]

---@class agentq.RenameSessionParams
---@field sessionId string
---@field name string

--- As LSP's CompletionItem.
---@class agentq.ReplCompletion
---@field label string
---@field kind integer
---@field detail string
---@field sortText string
---@field insertText? string Instead of the label.
---@field additionalTextEdits? lsp.TextEdit[]

---@class agentq.ReplHistoryParams
---@field process? string The id of a running program (agentq/listProcesses), in the place of the REPL.
---@field limit? integer
---@field cursor? string The nextCursor of the previous page.
---@field only? "stoppable" Only evaluations that run or left something open; then there is no cursor.

---@class agentq.ReplHistoryResult
---@field items agentq.HistoryItem[]
---@field total integer
---@field nextCursor? string

---@class agentq.ReplOutput
---@field evalId? string
---@field stream "stdout"|"stderr"
---@field text string
---@field late? true The output came after the evaluation was over.
---@field process? string The running program that the output is of; absent for the REPL's own process.

---@class agentq.ReplStatus
---@field state "notStarted"|"starting"|"idle"|"busy"|"dead"|"restarting"
---@field reason? string
---@field confinement "confined"|"open"
---@field consent? "needed"|"asked"|"given"|"refused" The person's consent to an open REPL, where one is meant to run or nothing else can: `asked` while the question waits for its answer. Absent for a confined REPL.
---@field locked? true The person has locked it: the agent looks and runs nothing.
---@field level "walled"|"limited"|"open" What holds the process: the operating system, Node's permissions alone, or nothing.
---@field missing? string What keeps a limited REPL from being walled, and what to type; absent where nothing is missing.
---@field confinementDetail string What the confinement does and does not stop here, in a sentence.
---@field nodeVersion string
---@field pid? integer

---@class agentq.RestartAnswer
---@field state "notStarted"|"starting"|"idle"|"busy"|"dead"|"restarting"
---@field reason? string
---@field confinement "confined"|"open"
---@field consent? "needed"|"asked"|"given"|"refused" The person's consent to an open REPL, where one is meant to run or nothing else can: `asked` while the question waits for its answer. Absent for a confined REPL.
---@field locked? true The person has locked it: the agent looks and runs nothing.
---@field level "walled"|"limited"|"open" What holds the process: the operating system, Node's permissions alone, or nothing.
---@field missing? string What keeps a limited REPL from being walled, and what to type; absent where nothing is missing.
---@field confinementDetail string What the confinement does and does not stop here, in a sentence.
---@field nodeVersion string
---@field pid? integer
---@field lost? string What the old process had and the new one has not: `2 names (cart, total); 1 server on port 4000`. Absent for nothing.
---@field replayed? agentq.HistoryItem[] What was run again, in order. Absent when nothing was asked for.
---@field unknown? string[] Asked for, but no evaluation that succeeded: where there is one of these, nothing was restarted.

---@class agentq.RestartMcpServerParams
---@field name string

---@class agentq.RestartReplParams
---@field replay? string[] Evaluations to run again, by evalId, or ["all"] for what the present state was built from.
---@field workDoneToken? string|integer As in LSP: work that takes long reports its progress under this token.

---@class agentq.RewindParams
---@field sessionId string
---@field turnId? string

---@class agentq.RewindResult
---@field proposalId? string The new proposal, which `agentq/proposal` announces; absent when there is nothing to take back.
---@field left agentq.UnrewoundHunk[]
---@field note string A sentence: what a rewind does not take back.

--- A Node process below `agentq run`, or one that was attached, whose folder is one of the open ones, is in one, or has one in it.
---@class agentq.RunningProcess
---@field id string The name that the person gave; with `:` and the process id where another one has it already.
---@field pid integer
---@field command string The words after `node`.
---@field folder string Absolute path of the folder whose code can be worked with.
---@field nodeVersion string `v24.21.0`.
---@field startedAt string ISO 8601.
---@field level "modules"|"globals" `modules`: forms run in the scopes of loaded modules; `globals`: not there.
---@field why? string What is different in this process, and why.

---@class agentq.RunningProcesses
---@field processes agentq.RunningProcess[] The oldest first.

---@class agentq.SearchSessionsParams
---@field text string
---@field limit? integer

---@class agentq.SearchSessionsResult
---@field items agentq.FoundInSession[]
---@field total integer
---@field nextCursor? string

---@class agentq.SessionInfo
---@field sessionId string
---@field name string What the person called it, else its first words.
---@field firstWords string The beginning of what the person said first.
---@field createdAt string
---@field usedAt string
---@field turns integer
---@field context? agentq.SessionInfoContext How full its model's context was after the last request, in tokens, or is as an estimate since something was left out. Absent before the first count.
---@field mode? "plan" There in plan mode.
---@field parent? agentq.SessionInfoParent The conversation that this one answered, and its call.
---@field running? "here"|"elsewhere" There while a turn runs: in this server, or in another one of the workspace, in which case it can only be read.

---@class agentq.SessionInfoContext
---@field tokens integer
---@field isEstimate? true
---@field contextWindow? integer

---@class agentq.SessionInfoParent
---@field sessionId? string
---@field toolCallId string

---@class agentq.Spend
---@field requests integer
---@field inputTokens integer
---@field outputTokens integer
---@field cacheReadTokens integer
---@field cacheWriteTokens integer
---@field cacheWrite1hTokens integer Of the tokens written to the cache, those that are kept for an hour, as far as servers tell.
---@field cost number In dollars, of the requests that have a price.
---@field unpriced? string[] The models whose price nobody knows, where there are any.

---@class agentq.Spending
---@field turn? agentq.Spend Of the conversation's newest turn; with what conversations took that answered the conversation.
---@field session? agentq.Spend
---@field day agentq.Spend Since midnight, of all conversations of the workspace.
---@field budget agentq.SpendingBudget In dollars, as the settings have it.
---@field pricesAsOf string The day on which the published prices were looked up, as `2026-10-24`.

---@class agentq.SpendingBudget
---@field turn? number
---@field session? number
---@field day? number

---@class agentq.SplitHunkParams
---@field proposalId string
---@field hunkId string

---@class agentq.SplitHunkResult
---@field hunkIds string[]

---@class agentq.Status
---@field version string
---@field node string
---@field workspaceFolders string[]
---@field typescript agentq.TypeScriptStatus
---@field repl agentq.ReplStatus
---@field wall agentq.WallStatus
---@field model agentq.ModelStatus
---@field sessions integer
---@field pendingProposals integer
---@field background? agentq.BackgroundCommand[] Those that run now; absent for none.
---@field mcp? agentq.McpServerStatus[] Absent where the settings name none.

---@class agentq.TakeBackQueuedParams
---@field sessionId string
---@field promptIds? string[] All when absent.

---@class agentq.TestSubsetParams
---@field proposalId string
---@field hunks agentq.CheckSubsetParamsHunks[]
---@field workDoneToken? string|integer

--- What the tests say of proposed text.
---@class agentq.TestVerdict
---@field state "running"|"done"|"unavailable"
---@field passed integer
---@field failed integer Tests that did not end are among them.
---@field skipped integer
---@field failures agentq.FailedTest[]
---@field files string[] URIs of the test files that ran.
---@field reason? string Why the verdict is unavailable; of one that is done, what it does not cover.

--- In milliseconds, of the last 1,000.
---@class agentq.Times
---@field count integer
---@field median number
---@field p95 number

---@class agentq.ToolInfo
---@field name string
---@field description string
---@field safety agentq.SafetyLevel
---@field categories string[]
---@field inputSchema agentq.JsonSchema
---@field available boolean
---@field unavailableReason? string
---@field isOffered? false False for a tool that programs and people call and models are not told about; else absent.

--- How the calls of one tool went since the server began.
---@class agentq.ToolMetrics
---@field tool string
---@field calls integer All of them, those that did not run included.
---@field failures integer Calls that ran and failed, and those whose arguments were wrong or whose tool was not available.
---@field denials integer Calls that the person or their policy refused, and those that nobody could be asked about.
---@field timeMs? agentq.Times Of calls that ran, without the time that the person took; of the last 1,000. Absent when none ran.
---@field answerSize? agentq.ToolMetricsAnswerSize Characters of the answers of calls that succeeded. Absent when none did.

---@class agentq.ToolMetricsAnswerSize
---@field median number
---@field largest integer
---@field total integer

--- `content` when `success`, `error` when not; never both, never neither. `content` is "" beside an `error`.
---@class agentq.ToolResult
---@field id string
---@field success boolean
---@field content string
---@field error? string
---@field metadata agentq.ToolResultMetadata
---@field places? agentq.FoundPlace[] What the text tells of, for lists of an editor: of calls by a person or a program alone (`agentq/callTool`).
---@field tests? agentq.TestVerdict The same of a run of tests.
---@field diagnostics? agentq.DiagnosticLine[] The same of a page of the compiler's errors, whose `code` is `TS2304`.
---@field evaluation? agentq.EvalResult The same of a form.

---@class agentq.ToolResultMetadata
---@field executionTimeMs number
---@field safetyLevel agentq.SafetyLevel
---@field approved? boolean What the person answered, where they were asked; of a proposal, whether they accepted any of it.
---@field modifiedArguments? table<string, any> What ran in place of the call's own arguments, by the person's word.
---@field complete boolean False when part of the truth is missing; `notes` then says which part and why.
---@field truncated? boolean True when the answer was cut to its budget; `nextCursor` reads on.
---@field nextCursor? string
---@field notes? string[]

--- Oldest first; `total` counts all events of the conversation.
---@class agentq.Transcript
---@field items agentq.TranscriptItem[]
---@field total integer
---@field nextCursor? string
---@field session agentq.SessionInfo
---@field earlierTurns integer With `lastTurns`: how many turns come before the first item.

--- An event that an editor was shown. Pieces of one text are one event.
---@class agentq.TranscriptItem
---@field itemId string For `agentq/forkSession`.
---@field turnId string
---@field at string
---@field event agentq.TurnEvent

---@class agentq.TurnEvent
---@field kind "turnStarted"|"queuedPrompt"|"commandAnswer"|"modeChanged"|"text"|"thinking"|"toolCall"|"toolResult"|"usage"|"compacted"|"compactionUndone"|"retrying"|"notice"|"turnEnded"
---@field text? string
---@field isCommand? true The text is a command, which the server answers by itself: the model hears of neither.
---@field attached? string[]|string[]
---@field place? string|string
---@field promptIds? string[] Of what had waited since the turn before.
---@field promptId? string
---@field asked? string
---@field failed? true
---@field mode? agentq.Mode
---@field toolCallId? string
---@field name? string
---@field state? agentq.ToolCallState
---@field arguments? table<string, any>
---@field result? agentq.ToolResult
---@field model? string The model that replied.
---@field inputTokens? integer
---@field outputTokens? integer
---@field cacheReadTokens? integer
---@field cacheWriteTokens? integer
---@field contextWindow? integer|integer|integer
---@field isEstimate? true The model's server counted no tokens: these are by characters.
---@field purpose? "summary" The request was not the conversation's own: it wrote a summary of it.
---@field cost? number Of the request, in dollars; absent where nobody knows the price.
---@field sessionCost? number Of the conversation so far, in dollars; absent where a request of the conversation has no price.
---@field message? string|string|string
---@field by? "person"|"server" `server`: the context was nearly full, or the model's server refused a request as too long.
---@field tokens? integer|integer
---@field tokensBefore? integer
---@field turns? integer How many of the person's turns are told by the summary alone.
---@field results? integer How many results of tools are shortened.
---@field summary? string What the model reads in the place of those turns, as Markdown. Absent where only results were shortened.
---@field attempt? integer
---@field waitMs? number
---@field reason? string|agentq.TurnEndReason
---@field level? "info"|"warning"|"error"

--- A message of the person's, and what the agent did to the files in its turn.
---@class agentq.TurnInfo
---@field sessionId string
---@field turnId string
---@field text string
---@field at string
---@field applied integer How many hunks were applied of what was proposed in the turn.

---@class agentq.TypeScriptStatus
---@field version string
---@field state "notStarted"|"starting"|"ready"|"restarting"|"dead"
---@field reason? string
---@field projects agentq.TypeScriptStatusProjects[] tsconfig files of the loaded projects; an inferred project is named by its folder.

---@class agentq.TypeScriptStatusProjects
---@field name string
---@field files integer

---@class agentq.UndoProposalParams
---@field proposalId string
---@field hunkIds? string[]

--- A hunk that a rewind could not take back, and a sentence why.
---@class agentq.UnrewoundHunk
---@field id string
---@field why string
---@field proposalId string
---@field title string

--- One thing inside a value.
---@class agentq.ValueMember
---@field name string
---@field kind "property"|"symbol"|"entry"|"element"|"getter"|"private"|"internal"
---@field preview string
---@field type string
---@field step? string The step that `path` needs to reach this member; absent when there is no way.
---@field keyStep? string Of a map entry whose key is an object: the step to that key.
---@field opens boolean There is something inside.
---@field from? string The class that an inherited getter belongs to.
---@field hidden? boolean Not enumerable.

--- A page of the inside of a value. Getters are shown and never called; a proxy's traps never run.
---@class agentq.ValuePage
---@field value string
---@field path string[]
---@field kind "primitive"|"string"|"object"|"array"|"map"|"set"|"typedArray"|"function"|"class"|"error"|"date"|"regexp"|"promise"|"weak"|"proxy"|"module"|"buffer"
---@field type string
---@field preview string
---@field facts agentq.ValuePageFacts[]
---@field items agentq.ValueMember[] The members of this page.
---@field total integer Members altogether; characters of a string; rows of a typed array.
---@field page integer From 1.
---@field pages integer
---@field extras agentq.ValueMember[] Not counted, on the first page: private fields, getters of the class, the prototype, what a promise or proxy holds.
---@field text? string This page of a string.
---@field source? agentq.ValuePageSource Where a function or class is written.
---@field complete boolean False when time was up and some previews are only `…`.

---@class agentq.ValuePageFacts
---@field name string
---@field text string

---@class agentq.ValuePageSource
---@field uri string
---@field line integer
---@field character integer

--- What holds whatever runs for the agent: evaluations, tests and commands.
---@class agentq.WallStatus
---@field level "walled"|"limited"|"open" That of the weakest: the operating system's wall, Node's permissions alone, or nothing.
---@field detail string What runs how, in a sentence.
---@field missing? string Why not everything is walled, and what to type; absent where everything is.
