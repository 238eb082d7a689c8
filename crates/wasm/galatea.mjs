// Galatea in JavaScript: `const galatea = await Galatea.load(await (await fetch("galatea_wasm.wasm")).arrayBuffer())`.

const utf8 = new TextEncoder();
const text = new TextDecoder();

export class Galatea {
  #exports;

  constructor(instance) {
    this.#exports = instance.exports;
  }

  /** Instantiates the module from its bytes. It imports nothing. */
  static async load(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Galatea(instance);
  }

  /** Adds a file, or replaces the one of the same name. */
  put(name, bytes) {
    const encoded = utf8.encode(name);
    this.#request(encoded, bytes);
    this.#result(this.#exports.galatea_put(encoded.length));
  }

  /** Opens one of the files, together with its companions among the others. */
  open(name) {
    this.#request(utf8.encode(name));
    this.#result(this.#exports.galatea_open());
  }

  /** Returns the figures of the opened document. */
  info() {
    return JSON.parse(this.infoText());
  }

  /** Returns the figures of the opened document as the text of a JSON object. */
  infoText() {
    return text.decode(this.#result(this.#exports.galatea_info()));
  }

  /** Returns what the rules find in the opened document: `{ counts, findings }`. */
  check() {
    return JSON.parse(this.checkText());
  }

  /** Returns what the rules find as the text of a JSON object. */
  checkText() {
    return text.decode(this.#result(this.#exports.galatea_check()));
  }

  /** Converts the opened document. Returns `{ files: [{ name, bytes }], losses }`; the first file is the document. */
  convert(format) {
    this.#request(utf8.encode(format));
    const { files, losses } = JSON.parse(text.decode(this.#result(this.#exports.galatea_convert())));
    const content = ({ name }, index) => ({ name, bytes: this.#result(this.#exports.galatea_file(index)) });
    return { files: files.map(content), losses };
  }

  /** Draws the opened document. Returns the bytes of a PNG. */
  render(width, height) {
    return this.#result(this.#exports.galatea_render(width, height));
  }

  /** Forgets all files and the opened document. */
  reset() {
    this.#exports.galatea_reset();
  }

  #request(...parts) {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let at = this.#exports.galatea_request(length);
    if (at === 0) throw new Error(`no memory for ${length} bytes`);
    // The memory may have grown: its buffer is asked for again every time.
    const memory = new Uint8Array(this.#exports.memory.buffer);
    for (const part of parts) {
      memory.set(part, at);
      at += part.length;
    }
  }

  #result(status) {
    const [at, length] = [this.#exports.galatea_response(), this.#exports.galatea_response_len()];
    const bytes = new Uint8Array(this.#exports.memory.buffer, at, length).slice();
    if (status !== 0) throw new Error(text.decode(bytes));
    return bytes;
  }
}
