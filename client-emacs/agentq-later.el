;;; agentq-later.el --- What can be done with a proposal after its review  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Takes back what was applied of a proposal, or of all since a message,
;; proposes again what was rejected, and shows a proposal as a patch.  All but
;; the last make a new proposal, which arrives and is reviewed as any other.

;;; Code:

(require 'diff-mode)
(require 'agentq-client)
(require 'agentq-read)
(require 'agentq-visible)

(defun agentq-later--with-proposal (states nothing use)
  "Call USE with the server and a proposal of one of STATES, or of any when nil.
Where there are several the person is asked, the newest first.
NOTHING is what to say when there is none."
  (let ((server (agentq-running-server)))
    (agentq-request
     server :agentq/listProposals (agentq-make ListProposalsParams)
     :then (lambda (page)
             (let ((found (seq-filter
                           (lambda (proposal)
                             (or (null states) (member (agentq-get Proposal proposal :state) states)))
                           (reverse (append (agentq-get ListProposalsResult page :items) nil)))))
               (cond ((null found) (message "Agent-Q: %s" nothing))
                     ((null (cdr found)) (funcall use server (car found)))
                     (t (agentq-read-soon #'agentq-later--ask server found use))))))))

(defun agentq-later--ask (server proposals use)
  "Ask which of PROPOSALS is meant and call USE with SERVER and it."
  (funcall use server
           (agentq-later-choose "Proposal" proposals
                                 (lambda (proposal)
                                   (format "%s (%s)" (agentq-get Proposal proposal :title)
                                           (agentq-get Proposal proposal :state))))))

;; Each line begins with its number: the words behind it are found too.
(add-to-list 'completion-category-defaults '(agentq-item (styles basic substring)))

(defun agentq-later-choose (prompt items describe)
  "Ask with PROMPT for one of ITEMS, in their order, each as DESCRIBE words it.
The first is what RET takes."
  (let* ((names (seq-map-indexed
                 (lambda (item index) (cons (format "%d %s" (1+ index) (funcall describe item)) item))
                 items))
         (table (lambda (text predicate action)
                  (if (eq action 'metadata)
                      '(metadata (category . agentq-item) (display-sort-function . identity))
                    (complete-with-action action names text predicate))))
         (chosen (completing-read
                  (format-prompt prompt (truncate-string-to-width
                                         (caar names) (max 12 (/ (frame-width) 3)) nil nil t))
                  table nil t nil nil (caar names))))
    (alist-get chosen names nil nil #'equal)))

(defun agentq-later--tell-left (proposal left)
  "Say which hunks of PROPOSAL could not come along: LEFT."
  (seq-doseq (each left)
    (let ((hunk (seq-find (lambda (hunk)
                            (equal (agentq-get Hunk hunk :id) (agentq-get LeftHunk each :id)))
                          (agentq-get Proposal proposal :hunks))))
      (message "Agent-Q left out %s: %s" (agentq-get Hunk hunk :title) (agentq-get LeftHunk each :why)))))

(defun agentq-later--propose (method states nothing none)
  "Send METHOD for a proposal of one of STATES.
NOTHING is what to say when there is none, NONE when the server has
nothing to propose."
  (agentq-later--with-proposal
   states nothing
   (lambda (server proposal)
     (agentq-request
      server method (agentq-make UndoProposalParams :proposalId (agentq-get Proposal proposal :proposalId))
      :then (lambda (result)
              (let ((left (agentq-get LaterResult result :left)))
                (agentq-later--tell-left proposal left)
                (unless (or (agentq-get LaterResult result :proposalId) (not (seq-empty-p left)))
                  (message "Agent-Q: %s" none))))))))

;;;###autoload
(defun agentq-undo-proposal ()
  "Propose to take back what was applied of a proposal."
  (interactive)
  (agentq-later--propose :agentq/undoProposal '("applied" "partiallyApplied" "withdrawn")
                         "no proposal was applied" "nothing of that proposal is there any more"))

;;;###autoload
(defun agentq-reopen-proposal ()
  "Propose again what was rejected of a proposal, or was in conflict."
  (interactive)
  (agentq-later--propose :agentq/reopenProposal '("rejected" "partiallyApplied" "withdrawn")
                         "no proposal was rejected" "all of that proposal is there already"))

(defun agentq-later--turn-line (turn)
  "A message of the person's, TURN, as a line of a list."
  (let ((applied (agentq-get TurnInfo turn :applied))
        (text (string-join (split-string (agentq-get TurnInfo turn :text)) " ")))
    (format "%s (%s)" (truncate-string-to-width (agentq-visible text) 50 nil nil "…")
            (if (eql applied 1) "1 hunk applied" (format "%d hunks applied" applied)))))

(defun agentq-later-rewind-to (server session turn)
  "Have SERVER propose the files as they were before the message of TURN.
SESSION and TURN are ids."
  (agentq-request
   server :agentq/rewind
   (agentq-make RewindParams :sessionId session :turnId turn)
   :then (lambda (result)
           (let ((left (agentq-get RewindResult result :left)))
             (seq-doseq (each left)
               (message "Agent-Q left out %s: %s" (agentq-get UnrewoundHunk each :title)
                        (agentq-get UnrewoundHunk each :why)))
             (cond ((agentq-get RewindResult result :proposalId)
                    (message "Agent-Q: %s" (agentq-get RewindResult result :note)))
                   ((seq-empty-p left)
                    (message "Agent-Q: nothing that was applied since that message is there any more")))))))

;;;###autoload
(defun agentq-rewind ()
  "Propose to bring the files back to what they were before a message.
The message is chosen from a list, the newest first."
  (interactive)
  (let ((server (agentq-running-server)))
    (agentq-request
     server :agentq/listTurns (agentq-make ListTurnsParams)
     :then (lambda (page)
             (let ((turns (reverse (append (agentq-get ListTurnsResult page :items) nil))))
               (if (null turns)
                   (message "Agent-Q: there is no message to go back to")
                 (agentq-read-soon
                  (lambda ()
                    (let ((turn (agentq-later-choose "Back to before" turns
                                                     #'agentq-later--turn-line)))
                      (agentq-later-rewind-to server
                                              (agentq-get TurnInfo turn :sessionId)
                                              (agentq-get TurnInfo turn :turnId)))))))))))

;;;###autoload
(defun agentq-proposal-patch ()
  "Show a proposal as a patch for \"git apply\"."
  (interactive)
  (let ((from (selected-window)))
    (agentq-later--with-proposal
     nil "there is no proposal"
     (lambda (server proposal)
       (agentq-request
        server :agentq/exportProposal
        (agentq-make UndoProposalParams :proposalId (agentq-get Proposal proposal :proposalId))
        :then (lambda (result)
                (agentq-later--tell-left proposal (agentq-get ExportResult result :left))
                (let ((patch (agentq-get ExportResult result :patch)))
                  (if (string-empty-p patch)
                      (message "Agent-Q: all of that proposal was rejected; reopen it first")
                    (with-current-buffer (agentq-buffer server "agentq-patch" 'diff-mode)
                      (let ((inhibit-read-only t))
                        (erase-buffer)
                        (insert patch))
                      (goto-char (point-min))
                      (agentq-show (current-buffer) from))))))))))

(provide 'agentq-later)
;;; agentq-later.el ends here
