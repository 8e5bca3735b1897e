import {
  type ApplicationText,
  ArgumentScannerError,
  formatMessageForArgumentScannerError,
  text_en,
} from "@stricli/core";

/** How the sentence begins that says that a command does not exist. */
export const NO_SUCH_COMMAND = "there is no command";

/** The scanner's findings in sentences of ours: flags as they are typed, what was expected and what was given. */
export const SCAN_TEXT: ApplicationText = {
  ...text_en,
  exceptionWhileParsingArguments: (error) =>
    error instanceof ArgumentScannerError
      ? formatMessageForArgumentScannerError(error, {
          FlagNotFoundError: ({ input, corrections }) =>
            `there is no flag --${input}${didYouMean(corrections, "--")}`,
          AliasNotFoundError: ({ input }) => `there is no flag -${input}`,
          ArgumentParseError: ({ externalFlagNameOrPlaceholder: flag, exception }) =>
            `--${flag}: ${exception instanceof Error ? exception.message : String(exception)}`,
          EnumValidationError: ({ externalFlagName: flag, input, values }) =>
            `--${flag}: expected one of ${values.join(", ")}, got "${input}"`,
          UnsatisfiedFlagError: ({ externalFlagName: flag }) => `--${flag} needs a value`,
          UnexpectedFlagError: ({ externalFlagName: flag }) => `--${flag} can be given only once`,
        })
      : String(error),
  noCommandRegisteredForInput: ({ input, corrections }) =>
    `${NO_SUCH_COMMAND} ${input}${didYouMean(corrections, "")}`,
};

function didYouMean(corrections: readonly string[], dashes: string): string {
  const [first] = corrections;
  return first === undefined ? "" : `, did you mean ${dashes}${first.replace(/^--/, "")}?`;
}
