"""Pure arithmetic of ratings. It needs no database and no clock."""
