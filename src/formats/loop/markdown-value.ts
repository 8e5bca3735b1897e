import type { Node } from "yaml";

type Yaml = typeof import("yaml");

/**
 * The value after a bullet's key: a YAML scalar or flow collection on one line. What is neither, and plain text with
 * everything in it, is the text as it is written.
 */
export function valueNode(yaml: Yaml, text: string): Node {
  const asWritten = () => {
    const scalar = new yaml.Scalar(text);
    scalar.range = [0, text.length, text.length];
    return scalar;
  };
  if (text.includes("\n")) return asWritten();
  const document = yaml.parseDocument(text, {
    version: "1.2",
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
    stringKeys: true,
  });
  const { contents, errors, warnings } = document;
  if (errors.length + warnings.length > 0 || contents === null || hasProperties(contents)) return asWritten();
  if (yaml.isCollection(contents)) return contents.flow === true ? contents : asWritten();
  if (!yaml.isScalar(contents)) return asWritten();
  // A "#" in plain words is no comment here: nobody who writes Markdown expects the rest of a sentence to vanish.
  const isPlainText = contents.type === "PLAIN" && typeof contents.value === "string";
  const isEmptied = contents.value === null && !/^(~|null|Null|NULL)$/.test(text);
  return isPlainText || isEmptied ? asWritten() : contents;
}

function hasProperties(node: Node): boolean {
  return ("anchor" in node && node.anchor !== undefined) || (node.tag !== undefined && /^!/.test(node.tag));
}
