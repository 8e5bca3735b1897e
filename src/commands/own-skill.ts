/** What our own skill tells an agent. */
export const OWN_SKILL = `---
name: loopwright
description: Run coding agents in loops until checks pass, and look at what they did. Use it when a task has a command that says whether it is done, when work shall go on unattended, or when somebody asks what a loop did or cost.
---

# loopwright

Whether work is done is decided by checks, never by you: there is no command that says so.

- One task: \`loopwright go "GOAL" --check "npm test"\`. Add \`--dry-run\` to see what would run and what is protected.
- A loop file: \`loopwright loop new\`, then \`loopwright loop validate\`, \`loopwright loop plan\`, \`loopwright loop start\`.
- What is going on: \`loopwright status\`, \`loopwright events --follow\`, \`loopwright diff\`.
- Stop or steer: \`loopwright stop\`, \`loopwright update "TEXT"\`; go on with \`loopwright loop resume\`.
- What runs cost and what to choose next time: \`loopwright runs\`, \`loopwright recommend\`.

Add \`--json\` to any of them for one object to read. Commands that only a person may give (approving, promoting, applying
proposals, changing limits or settings) are refused inside an attempt: say what is needed and leave it to the person.
`;
