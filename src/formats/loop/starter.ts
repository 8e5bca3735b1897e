export interface StarterWords {
  readonly name: string;
  readonly purpose: string;
}

/**
 * A loop file to begin with: one goal, one builder, one check that fails until the work is there. It starts as it is,
 * and names what to change.
 */
export function starterLoop({ name, purpose }: StarterWords): string {
  // Every JSON text is a YAML scalar.
  const [named, meant] = [JSON.stringify(name), JSON.stringify(purpose)];
  return `name: ${named}
description: ${meant}

intent:
  goals:
    # What shall be true in the end, in words that an agent understands.
    - name: primary
      description: ${meant}

  # Do the task once by hand, and write down here what has to be there before a machine repeats it.
  prerequisites: []

execution:
  graph:
    nodes:
      - id: build
        role: builder
        goals: [primary]
        instruction: Write the result to out/result.md.
  providers:
    providers:
      - id: claude
        kind: claude_code
        command: claude

safety:
  checks:
    # Only checks decide. Put your own in: a test command, a linter, a script that looks at the result.
    - target: primary
      name: result-is-there
      mode: objective
      statement: out/result.md is there and not empty.
      detector: {type: file_exists, path: out/result.md, non_empty: true}
  limits:
    global:
      forbidden_paths: [.git/, node_modules/]
  gates:
    stop:
      max_iterations: 8
      max_wall_clock_seconds: 3600
      max_cost_usd: 5
      no_progress_iterations: 3
`;
}
