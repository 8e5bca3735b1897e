/** A loop that is done once its stamp is there, with these triggers. */
export function loopText(triggers: string): string {
  return `name: stamp
intent:
  prerequisites: [{step: Stamped once by hand, done: true}]
  goals: [{name: stamped, description: The stamp is in its place.}]
execution:
  graph:
    nodes: [{id: stamp, role: builder, instruction: Put the stamp into its place.}]
  providers:
    providers: [{id: sh, kind: byok, command: sh, args: [-c, "cat > /dev/null; echo stamp > stamp.txt"]}]
  triggers: {triggers: [${triggers}], max_depth: 2}
safety:
  checks:
    - {target: stamped, name: there, mode: objective, statement: There., detector: {type: file_exists, path: stamp.txt}}
  gates: {stop: {max_iterations: 2, max_wall_clock_seconds: 60}}
`;
}
