"""From text to numbers and back: the pipeline and its steps, vocabularies, sentence splitting."""
