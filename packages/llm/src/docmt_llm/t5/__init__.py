"""T5 models with target-language tags, such as MADLAD-400."""
