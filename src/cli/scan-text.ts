import {
  AliasNotFoundError,
  type ApplicationText,
  ArgumentParseError,
  EnumValidationError,
  FlagNotFoundError,
  text_en,
  UnexpectedFlagError,
  UnsatisfiedFlagError,
} from "@stricli/core";

/** How the sentence begins that says that a command does not exist. */
export const NO_SUCH_COMMAND = "there is no command";

/** The scanner's findings in sentences of ours: flags as they are typed, what was expected and what was given. */
export const SCAN_TEXT: ApplicationText = {
  ...text_en,
  exceptionWhileParsingArguments: (error) => {
    if (error instanceof FlagNotFoundError)
      return `there is no flag --${error.input}${didYouMean(error.corrections, "--")}`;
    if (error instanceof AliasNotFoundError) return `there is no flag -${error.input}`;
    if (error instanceof ArgumentParseError)
      return `--${error.externalFlagNameOrPlaceholder}: ${messageOf(error.exception)}`;
    if (error instanceof EnumValidationError)
      return `--${error.externalFlagName}: expected one of ${error.values.join(", ")}, got "${error.input}"`;
    if (error instanceof UnsatisfiedFlagError) return `--${error.externalFlagName} needs a value`;
    if (error instanceof UnexpectedFlagError) return `--${error.externalFlagName} can be given only once`;
    return messageOf(error);
  },
  noCommandRegisteredForInput: ({ input, corrections }) =>
    `${NO_SUCH_COMMAND} ${input}${didYouMean(corrections, "")}`,
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function didYouMean(corrections: readonly string[], dashes: string): string {
  const [first] = corrections;
  return first === undefined ? "" : `, did you mean ${dashes}${first.replaceAll(/^--|`/g, "")}?`;
}
