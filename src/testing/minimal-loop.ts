/** A loop file without any finding: tests change single lines of it. */
export const MINIMAL_LOOP = `name: tidy
intent:
  prerequisites: [{step: Ran the tests by hand, done: true}]
  goals:
    - name: green
      description: Every test of the project passes.
execution:
  graph:
    nodes:
      - id: build
        role: builder
        instruction: Make the failing tests pass without touching them.
      - {id: read, role: judge, depends_on: [build], instruction: Say what is wrong with it.}
  providers:
    providers:
      - {id: claude, kind: claude, command: claude}
      - {id: codex, kind: codex, command: codex}
safety:
  checks:
    - target: green
      name: tests
      mode: objective
      statement: npm test exits 0.
      detector: {type: script, command: npm test}
    - target: overall
      name: lint
      mode: objective
      statement: The linter is content.
      detector: {type: script, command: npx, args: [biome, check]}
  gates:
    stop: {max_cost_usd: 2.5}
`;

/** `MINIMAL_LOOP` with one piece of its text exchanged. */
export function withLine(line: string, ...replacement: readonly string[]): string {
  if (!MINIMAL_LOOP.includes(line)) throw new Error(`the minimal loop has no ${JSON.stringify(line)}`);
  return MINIMAL_LOOP.replace(line, replacement.join("\n"));
}
