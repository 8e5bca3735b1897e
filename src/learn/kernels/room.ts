/** Room for a matrix that is needed for one call only: a fit asks for thousands, all of one size. */
export class Room {
  #numbers = new Float64Array();

  zeros(size: number): Float64Array {
    if (this.#numbers.length !== size) this.#numbers = new Float64Array(size);
    else this.#numbers.fill(0);
    return this.#numbers;
  }
}
