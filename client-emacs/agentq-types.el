;;; agentq-types.el --- What agentq/* messages carry  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The shapes of the wire with their keys.  Made from docs/protocol.schema.json:
;; change server/src/protocol and run `npx vitest run test/wire -u', not this file.
;; Only the macros of agentq-wire.el read it, while a file is compiled.

;;; Code:

(defconst agentq-types
  '((AddContextParams :sessionId (:items ContextRef))
    (AddedContext (:items ContextItem) :total (:added ContextItem))
    (AgentEvaluation :evalId :module :code :isTool :host :process
     (:result EvalResult))
    (AnnotatedTextEdit (:range Range) :newText :annotationId)
    (AnswerApprovalParams :approvalId :decision :arguments :message :remember
     :then)
    (AnswerApprovalResult :accepted)
    (Approval :approvalId :sessionId :toolCallId :tool :arguments :why :risk
     :question (:answers ApprovalAnswers))
    (ApprovalAnswers :approved :denied :always)
    (ApprovalChanged :approvalId :state)
    (AuditEntry :id :at :sessionId :toolCallId :tool :safety :caller :arguments
     :decision :modifiedArguments :message (:hunks AuditEntryHunks) :outcome
     :detail :durationMs)
    (AuditEntryHunks :path :title :state :applied :why)
    (AuditLogParams :sessionId :cursor)
    (AuditLogResult (:items AuditEntry) :total :nextCursor)
    (BackgroundCommand :id :command :startedAt)
    (BufferText (:buffer EditorBuffer) :version :lines)
    (CallToolParams :name :arguments :sessionId)
    (CancelParams :sessionId)
    (CancelResult :cancelled (:queued QueuedPrompt))
    (ChangeAnnotation :label :needsConfirmation :description)
    (ChangeDecision :done (:failed ChangeDecisionFailed))
    (ChangeDecisionFailed :uri :reason)
    (Check :state (:introduced DiagnosticLine) (:resolved DiagnosticLine)
     :reason)
    (CheckSubsetParams :proposalId (:hunks CheckSubsetParamsHunks))
    (CheckSubsetParamsHunks :id :decision :newText :currentText
     (:lines HunkDecisionLines))
    (ChooseModelParams :sessionId :profile :model :thinking :temperature)
    (CompleteInReplParams :process :code (:position Position) :module)
    (CompletionAnswer (:items ReplCompletion) :total :isIncomplete
     (:replace Range) :reason)
    (ContextItem :id :kind :label :uri (:range Range) :size :missing :isSent)
    (ContextList (:items ContextItem) :total)
    (ContextRef :kind :uri (:range Range) :symbol :text :label)
    (CreateFile :kind :annotationId :uri (:options CreateFileOptions))
    (CreateFileOptions :overwrite :ignoreIfExists)
    (DecideParams :proposalId (:hunks HunkDecision) :message :then)
    (DecideResult (:edit WorkspaceEdit) :conflicts :remaining)
    (Delegated :sessionId :turnId :seq (:event TurnEvent)
     (:parent SessionInfoParent))
    (DeleteFile :kind :annotationId :uri (:options DeleteFileOptions))
    (DeleteFileOptions :recursive :ignoreIfNotExists)
    (DeleteSessionResult :deleted)
    (DiagnosticLine :uri (:range Range) :severity :code :message)
    (DidApplyParams :proposalId (:documents DocumentStamp))
    (DidApplyResult :verified :mismatched)
    (DocumentStamp :uri :version :sha256)
    (EditQueuedParams :sessionId :promptId :text)
    (EditorBuffer :id :name :kind :uri :lines :modified :isCurrent :isVisible)
    (EditorBuffers (:buffers EditorBuffer))
    (ErrorFrame :function :uri :line :character :code)
    (ErrorInfo :name :message (:frames ErrorFrame) :details (:cause ErrorInfo)
     (:errors ErrorInfo) :moreErrors)
    (EvalResult :evalId :outcome :valueId :preview :type (:error ErrorInfo)
     :stdout :stderr :truncated :durationMs (:notes DiagnosticLine) :stateKept
     :installed :left (:changes EvaluationChange))
    (EvaluateParams :process :code :module :timeoutMs :install :sessionId
     :workDoneToken)
    (EvaluationChange :uri :kind :canRevert :reason)
    (EvaluationChanges :evalId :by (:changes EvaluationChange) :message)
    (Event :sessionId :turnId :seq (:event TurnEvent))
    (ExplainDecisionParams :tool :arguments :sessionId)
    (ExplainedDecision :decision :because :rule)
    (ExportResult :patch (:left LeftHunk))
    (ExportSessionParams :sessionId :format)
    (ExportedSession :content)
    (FailedTest :name :uri (:range Range) :message)
    (ForgetRememberedParams :id)
    (ForgetRememberedResult :forgotten)
    (ForkSessionParams :sessionId :turnId :itemId)
    (FormAtParams :uri (:position Position))
    (FormAtResult (:range Range) :declares)
    (FoundInSession (:session SessionInfo) :itemId :turnId :at :by :snippet)
    (FoundPlace :uri (:range Range) :text)
    (HistoryItem :evalId :by :module :code :outcome :valueId :preview :type
     :error :durationMs :at :replayOf :stateKept :left)
    (Hunk :id :uri (:range Range) :oldText :newText :kind :newUri :title
     :requires :defaultDecision :state :takenBack :conflict :currentText)
    (HunkDecision :id :decision :newText :currentText :reason :by
     (:lines HunkDecisionLines))
    (HunkDecisionLines :old :new)
    (HunksChanged :proposalId (:hunks Hunk) (:documents DocumentStamp)
     (:check Check) (:tests TestVerdict) :state)
    (InspectValueParams :process :value :module :path :page :size)
    (InterruptParams :process :evalId)
    (InterruptResult :interrupted :ended)
    (KeepEvaluationChangesParams :evalId :uris)
    (LateNotes :evalId (:notes DiagnosticLine))
    (LaterResult :proposalId (:left LeftHunk))
    (LeftHunk :id :why)
    (ListProposalsParams :state)
    (ListProposalsResult (:items Proposal) :total :nextCursor)
    (ListQueueResult (:items QueuedPrompt) :total :nextCursor)
    (ListRememberedResult (:items RememberedCall) :total :nextCursor)
    (ListSessionsParams :limit :cursor)
    (ListSessionsResult (:items SessionInfo) :total :nextCursor)
    (ListToolsParams :maxSafety :categories)
    (ListToolsResult (:items ToolInfo) :total :nextCursor)
    (ListTurnsResult (:items TurnInfo) :total :nextCursor)
    (LockReplParams :locked)
    (McpServerStatus :name :state :tools :reason)
    (Metrics (:items ToolMetrics) :total :nextCursor :since
     (:model ModelMetrics))
    (ModelChoice :profile :model :thinking :temperature)
    (ModelInfo :profile :model :name :maxTokens :maxInputTokens :thinking)
    (ModelList (:items ModelInfo) (:profiles ModelListProfiles)
     (:choice ModelChoice))
    (ModelListProfiles :name :baseUrl :problem)
    (ModelMetrics :requests :retries :failures :failuresByKind :inputTokens
     :outputTokens :cacheReadTokens :cacheWriteTokens :cost
     (:firstPieceMs Times) (:replyMs Times))
    (ModelStatus :ready :model :baseUrl :profile :thinking :reason)
    (OpenProposalParams :proposalId)
    (OpenSessionParams :sessionId :lastTurns :limit :cursor)
    (OptionalVersionedTextDocumentIdentifier :uri :version)
    (Position :line :character)
    (PromptParams :sessionId :newSessionId :text (:context ContextRef)
     :toolChoice :mode (:active PromptParamsActive))
    (PromptParamsActive :uri (:range Range) (:visible Range)
     (:diagnostics PromptParamsActiveDiagnostics))
    (PromptParamsActiveDiagnostics (:range Range) :severity :message :source)
    (PromptResult :sessionId :turnId :queued :promptId)
    (Proposal :proposalId :sessionId :toolCallId :at :title :why
     (:edit WorkspaceEdit) (:documents DocumentStamp) (:hunks Hunk)
     (:check Check) (:tests TestVerdict) :state)
    (QueueChanged :sessionId (:items QueuedPrompt))
    (QueuedPrompt :promptId :text :at (:context ContextRef) :held)
    (Range (:start Position) (:end Position))
    (ReadBufferParams :id :start :end)
    (ReloadBuffersParams :uris)
    (ReloadBuffersResult :reloaded)
    (RememberedCall :id :at :scope :sessionId :tool :arguments)
    (RemoveContextParams :sessionId :ids)
    (RenameFile :kind :annotationId :oldUri :newUri
     (:options RenameFileOptions))
    (RenameFileOptions :overwrite :ignoreIfExists)
    (RenameSessionParams :sessionId :name)
    (ReplCompletion :label :kind :detail :sortText :insertText
     (:additionalTextEdits TextEdit))
    (ReplHistoryParams :process :limit :cursor :only)
    (ReplHistoryResult (:items HistoryItem) :total :nextCursor)
    (ReplOutput :evalId :stream :text :late :process)
    (ReplStatus :state :reason :confinement :consent :locked :level :missing
     :confinementDetail :nodeVersion :pid)
    (ResourceOperation :kind :annotationId)
    (RestartAnswer :state :reason :confinement :consent :locked :level :missing
     :confinementDetail :nodeVersion :pid :lost (:replayed HistoryItem)
     :unknown)
    (RestartMcpServerParams :name)
    (RestartReplParams :replay :workDoneToken)
    (RewindParams :sessionId :turnId)
    (RewindResult :proposalId (:left UnrewoundHunk) :note)
    (RunningProcess :id :pid :command :folder :nodeVersion :startedAt :level
     :why)
    (RunningProcesses (:processes RunningProcess))
    (SearchSessionsParams :text :limit)
    (SearchSessionsResult (:items FoundInSession) :total :nextCursor)
    (SessionInfo :sessionId :name :firstWords :createdAt :usedAt :turns
     (:context SessionInfoContext) :mode (:parent SessionInfoParent) :running)
    (SessionInfoContext :tokens :isEstimate :contextWindow)
    (SessionInfoParent :sessionId :toolCallId)
    (SnippetTextEdit (:range Range) (:snippet StringValue) :annotationId)
    (Spend :requests :inputTokens :outputTokens :cacheReadTokens
     :cacheWriteTokens :cacheWrite1hTokens :cost :unpriced)
    (Spending (:turn Spend) (:session Spend) (:day Spend)
     (:budget SpendingBudget) :pricesAsOf)
    (SpendingBudget :turn :session :day)
    (SplitHunkParams :proposalId :hunkId)
    (SplitHunkResult :hunkIds)
    (Status :version :node :workspaceFolders (:typescript TypeScriptStatus)
     (:repl ReplStatus) (:wall WallStatus) (:model ModelStatus) :sessions
     :pendingProposals (:background BackgroundCommand) (:mcp McpServerStatus))
    (StringValue :kind :value)
    (TakeBackQueuedParams :sessionId :promptIds)
    (TestSubsetParams :proposalId (:hunks CheckSubsetParamsHunks)
     :workDoneToken)
    (TestVerdict :state :passed :failed :skipped (:failures FailedTest) :files
     :reason)
    (TextDocumentEdit (:textDocument OptionalVersionedTextDocumentIdentifier)
     :edits)
    (TextDocumentIdentifier :uri)
    (TextEdit (:range Range) :newText)
    (Times :count :median :p95)
    (ToolInfo :name :description :safety :categories :inputSchema :available
     :unavailableReason :isOffered)
    (ToolMetrics :tool :calls :failures :denials (:timeMs Times)
     (:answerSize ToolMetricsAnswerSize))
    (ToolMetricsAnswerSize :median :largest :total)
    (ToolResult :id :success :content :error (:metadata ToolResultMetadata)
     (:places FoundPlace) (:tests TestVerdict) (:diagnostics DiagnosticLine)
     (:evaluation EvalResult))
    (ToolResultMetadata :executionTimeMs :safetyLevel :approved
     :modifiedArguments :complete :truncated :nextCursor :notes)
    (Transcript (:items TranscriptItem) :total :nextCursor
     (:session SessionInfo) :earlierTurns)
    (TranscriptItem :itemId :turnId :at (:event TurnEvent))
    (TurnEvent :kind :text :isCommand :attached :place :promptIds :promptId
     :asked :failed :mode :toolCallId :name :state :arguments
     (:result ToolResult) :model :inputTokens :outputTokens :cacheReadTokens
     :cacheWriteTokens :contextWindow :isEstimate :purpose :cost :sessionCost
     :message :by :tokens :tokensBefore :turns :results :summary :attempt
     :waitMs :reason :level)
    (TurnInfo :sessionId :turnId :text :at :applied)
    (TypeScriptStatus :version :state :reason
     (:projects TypeScriptStatusProjects))
    (TypeScriptStatusProjects :name :files)
    (UndoProposalParams :proposalId :hunkIds)
    (UnrewoundHunk :id :why :proposalId :title)
    (ValueMember :name :kind :preview :type :step :keyStep :opens :from :hidden)
    (ValuePage :value :path :kind :type :preview (:facts ValuePageFacts)
     (:items ValueMember) :total :page :pages (:extras ValueMember) :text
     (:source ValuePageSource) :complete)
    (ValuePageFacts :name :text)
    (ValuePageSource :uri :line :character)
    (WallStatus :level :detail :missing)
    (WorkspaceEdit (:changes TextEdit) :documentChanges
     (:changeAnnotations ChangeAnnotation)))
  "Alist from the names of shapes to their keys.
A key is a keyword, or a list of a keyword and the name of the shape that
its value, or each member of its value, has.")

(provide 'agentq-types)

;;; agentq-types.el ends here
