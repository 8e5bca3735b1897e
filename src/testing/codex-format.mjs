// The stream of `codex exec --json`, as far as readers of it care.
export function openCodexRun({ sessionId, print, before = {} }) {
  const total = { ...before };
  let items = 0;

  function add(usage) {
    for (const [name, count] of Object.entries(usage)) total[name] = (total[name] ?? 0) + count;
  }

  function item(fields) {
    items += 1;
    print({ type: "item.completed", item: { id: `item_${items}`, ...fields } });
  }

  print({ type: "thread.started", thread_id: sessionId });
  print({ type: "turn.started" });
  return {
    prompt() {},
    say(text, usage) {
      add(usage);
      item({ type: "agent_message", text });
    },
    tool(name, input, result, usage) {
      add(usage);
      const command = input.command ?? `${name} ${input.file_path}`;
      item({
        type: "command_execution",
        command,
        aggregated_output: result,
        exit_code: 0,
        status: "completed",
      });
    },
    /** Stated counters are cumulative over the thread; cached and written tokens are part of the input. */
    finish(_text, error) {
      if (error !== undefined) {
        print({ type: "error", message: error.text });
        print({ type: "turn.failed", error: { message: error.text } });
        return total;
      }
      const cached = total.cacheReadTokens ?? 0;
      const written = (total.cacheWrite5mTokens ?? 0) + (total.cacheWrite1hTokens ?? 0);
      print({
        type: "turn.completed",
        usage: {
          input_tokens: (total.inputTokens ?? 0) + cached + written,
          cached_input_tokens: cached,
          cache_write_input_tokens: written,
          output_tokens: total.outputTokens ?? 0,
          reasoning_output_tokens: total.reasoningTokens ?? 0,
        },
      });
      return total;
    },
  };
}
