/** What a snapshot contains of a part of the state: what its `save` returns, and its constructor takes. */
export type Saved<Part extends { save(): unknown }> = ReturnType<Part['save']>
