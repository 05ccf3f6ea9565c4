/// File names of the libraries for pictures. Their interface must be that of the headers (<png.h>, <jpeglib.h>) that are
/// included here.
#ifndef STRC_PICTURE_LIBRARIES_H
#define STRC_PICTURE_LIBRARIES_H

#define STRC_PNG_TEXT(number) #number
#define STRC_PNG_NAME(number) "libpng" STRC_PNG_TEXT(number) ".so." STRC_PNG_TEXT(number)
#define STRC_PNG_LIBRARY STRC_PNG_NAME(PNG_LIBPNG_VER_SONUM)
/// A library that libpng needs: in a bundle it is found because it is loaded first.
#define STRC_DEFLATE_LIBRARY "libz.so.1"

#define STRC_JPEG_LIBRARY                      \
    (JPEG_LIB_VERSION >= 80   ? "libjpeg.so.8" \
     : JPEG_LIB_VERSION >= 70 ? "libjpeg.so.7" \
                              : "libjpeg.so.62")

#endif
